import type { AccessibleNode, TreeTerms, UnreadNode } from './node.ts';
import type { NodeIds } from './node-ids.ts';
import { type ObjectFacts, type ObjectReader, SilentProgram, unlessRefused } from './object-reader.ts';
import { hasState, stateNames } from './vocabulary.ts';

/** Objects that are asked at the same time; more would only wait in the queues of their programs. */
const AT_ONCE = 64;
/** Objects that are read for each node that may be kept: hidden ones are read and left out. */
const READS_PER_NODE = 4;
const LEAST_READS = 1_000;
const WITHOUT_PLACE: ReadonlySet<string> = new Set(['application', 'desktop frame']);
/** Has no place where a program hides its tabs, as an editor with one file; what is on it has. */
const PAGE = 'page tab';

interface Place {
  readonly object: UnreadNode;
  /** Absent: the root. */
  readonly parent: AccessibleNode | undefined;
  readonly depth: number;
}

interface ReadNode {
  readonly node: AccessibleNode;
  readonly place: Place;
  readonly children: readonly UnreadNode[];
}

/** Reads trees within limits that several programs share. */
export class TreeReader {
  readonly #reader: ObjectReader;
  readonly #ids: NodeIds;
  readonly #terms: TreeTerms;
  #readsLeft: number;
  #nodeCount = 0;
  #isTruncated = false;

  constructor(reader: ObjectReader, ids: NodeIds, terms: TreeTerms) {
    this.#reader = reader;
    this.#ids = ids;
    this.#terms = terms;
    this.#readsLeft = Math.max(terms.maxNodes * READS_PER_NODE, LEAST_READS);
  }

  get nodeCount(): number {
    return this.#nodeCount;
  }

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /**
   * The tree below `start`, level by level, so that what a limit cuts off is the deepest.
   * @param depth of `start`
   * @param only the children of `start` to read; default: all
   * @returns undefined if the object is gone or hidden
   * @throws SilentProgram before the root was read; later, what was read is the answer
   */
  async read(start: UnreadNode, depth = 0, only?: readonly UnreadNode[]): Promise<AccessibleNode | undefined> {
    let root: AccessibleNode | undefined;
    let level: Place[] = [{ object: start, parent: undefined, depth }];
    while (level.length > 0) {
      const next: Place[] = [];
      for (let at = 0; at < level.length; at += AT_ONCE) {
        const read = await this.#readSome(level.slice(at, at + AT_ONCE), root !== undefined);
        if (read === undefined) return root;
        for (const { node, place, children } of read) {
          root ??= node;
          place.parent?.children.push(node);
          const own = place.parent === undefined && only ? only : children;
          next.push(...own.map((object) => ({ object, parent: node, depth: place.depth + 1 })));
        }
      }
      level = this.#withinDepth(next);
    }
    return root;
  }

  /** Undefined if the program stopped answering and the root is known. */
  async #readSome(places: readonly Place[], hasRoot: boolean): Promise<ReadNode[] | undefined> {
    try {
      const read = await Promise.all(places.map((place) => this.#readOne(place)));
      return read.filter((node) => node !== undefined);
    } catch (error) {
      this.#isTruncated = true;
      if (hasRoot && error instanceof SilentProgram) return undefined;
      throw error;
    }
  }

  async #readOne(place: Place): Promise<ReadNode | undefined> {
    if (this.#nodeCount >= this.#terms.maxNodes || this.#readsLeft <= 0) {
      this.#isTruncated = true;
      return undefined;
    }
    this.#readsLeft -= 1;
    const facts = await unlessRefused(this.#reader.facts(place.object));
    if (facts === undefined || !this.#isWanted(facts)) return undefined;
    const hasPlace = !WITHOUT_PLACE.has(facts.role);
    const room = this.#terms.maxNodes - this.#nodeCount;
    const isDeepest = place.depth >= this.#terms.maxDepth;
    const [bounds, value, children] = await Promise.all([
      hasPlace ? this.#reader.bounds(place.object) : undefined,
      this.#reader.value(place.object, facts.role),
      isDeepest ? [] : this.#childrenOf(place.object, facts.childCount, room),
    ]);
    if (hasPlace && !bounds && !this.#terms.includeOffscreen && facts.role !== PAGE) return undefined;
    if (this.#nodeCount >= this.#terms.maxNodes) {
      this.#isTruncated = true;
      return undefined;
    }
    this.#nodeCount += 1;
    if (children.length < facts.childCount) this.#isTruncated ||= isDeepest || children.length >= room;
    const { role, name, description } = facts;
    const id = this.#ids.idOf({ ...place.object, role });
    const states = stateNames(facts.states);
    return { place, children, node: { id, role, name, description, states, bounds, value, children: [] } };
  }

  async #childrenOf(object: UnreadNode, count: number, room: number): Promise<readonly UnreadNode[]> {
    return (await unlessRefused(this.#reader.children(object, count, room))) ?? [];
  }

  #isWanted({ role, states, isGone }: ObjectFacts): boolean {
    if (isGone) return false;
    return this.#terms.includeOffscreen || role === 'application' || hasState(states, 'showing');
  }

  #withinDepth(places: Place[]): Place[] {
    const kept = places.filter(({ depth }) => depth <= this.#terms.maxDepth);
    if (kept.length < places.length) this.#isTruncated = true;
    return kept;
  }
}
