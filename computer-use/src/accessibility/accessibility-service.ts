import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { AccessibilityBus, type BusSession, closedBus, failureOf } from './accessibility-bus.ts';
import { type ActiveWindow, findForeground } from './foreground.ts';
import { matchNames, type NameMatch } from './name-matcher.ts';
import type { AccessibleNode, AccessibleTree, TreeTerms, UnreadNode } from './node.ts';
import { NodeControl } from './node-control.ts';
import { NodeIds } from './node-ids.ts';
import { ObjectReader, SilentProgram, unlessSilent } from './object-reader.ts';
import { TreeReader } from './tree-reader.ts';
import { roleCalled, stateCalled } from './vocabulary.ts';

type Scope = 'foreground' | 'desktop';

export interface TreeRequest extends TreeTerms {
  readonly scope: Scope;
  /** The root of the answer; then the scope does not count. */
  readonly nodeId?: string | undefined;
}

export interface NodeQuery extends TreeRequest {
  readonly role?: string | undefined;
  readonly name?: string | undefined;
  readonly match: NameMatch;
  /** All of them. */
  readonly states?: readonly string[] | undefined;
  readonly limit: number;
}

export interface FoundNodes {
  readonly nodes: readonly AccessibleNode[];
  readonly isTruncated: boolean;
  readonly silent: readonly string[];
}

export interface AccessibilityTerms {
  /** Address of the session bus, as in DBUS_SESSION_BUS_ADDRESS. */
  readonly sessionBus: string | undefined;
  /** The window manager's word, if there is one. */
  readonly activeWindow?: () => Promise<ActiveWindow | undefined>;
}

/** Share of the time of a reading that one program has for an answer; the rest is for those that do answer. */
const SILENCE = 0.5;

const REGISTRY = { sender: 'org.a11y.atspi.Registry', path: '/org/a11y/atspi/accessible/root' };

/** Reads the content that the programs of the display report by AT-SPI. */
export class AccessibilityService implements AsyncDisposable {
  readonly nodes: NodeControl;
  readonly #bus: AccessibilityBus;
  readonly #ids = new NodeIds();
  readonly #activeWindow: () => Promise<ActiveWindow | undefined>;

  constructor({ sessionBus, activeWindow = async () => undefined }: AccessibilityTerms) {
    this.#bus = new AccessibilityBus(sessionBus);
    this.#activeWindow = activeWindow;
    this.nodes = new NodeControl(this.#ids, activeWindow);
  }

  /** Whether the bus answers. */
  async isAvailable(): Promise<boolean> {
    return this.#bus.session().then(
      () => true,
      () => false,
    );
  }

  /** @throws SandboxError if there is no bus, or the node is gone */
  async tree(request: TreeRequest): Promise<AccessibleTree> {
    const session = await this.#bus.session();
    const { timeoutMs } = request;
    const reader = new ObjectReader(session, performance.now() + timeoutMs, timeoutMs * SILENCE);
    try {
      if (request.nodeId !== undefined) return await this.#below(request.nodeId, reader, request);
      const applications = await reader.children(REGISTRY, 1, request.maxNodes).catch(silentRegistry);
      const owned = applications.map((application) => ({ ...application, session }));
      return request.scope === 'desktop'
        ? await this.#desktop(session, owned, reader, request)
        : await this.#foreground(owned, reader, request);
    } catch (error) {
      if (failureOf(error) !== 'closed') throw error;
      throw closedBus(error);
    }
  }

  /** @throws SandboxError as `tree`, or for an unknown role or state */
  async find(query: NodeQuery): Promise<FoundNodes> {
    const role = query.role === undefined ? undefined : known(roleCalled(query.role), 'role', query.role);
    const states = query.states?.map((state) => known(stateCalled(state), 'states', state)) ?? [];
    const { root, isTruncated, silent } = await this.tree(query);
    const all = root ? flatten(root) : [];
    const candidates = all.filter(
      (node) => (role === undefined || node.role === role) && states.every((state) => node.states.includes(state)),
    );
    const { name, match, limit } = query;
    const matches =
      name === undefined
        ? undefined
        : matchNames(
            candidates.map((node) => node.name),
            name,
            match,
          );
    const found = matches ? candidates.filter((_node, index) => matches[index]) : candidates;
    return { nodes: found.slice(0, limit), isTruncated: isTruncated || found.length > limit, silent };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bus[Symbol.asyncDispose]();
  }

  async #below(nodeId: string, reader: ObjectReader, terms: TreeTerms): Promise<AccessibleTree> {
    const node = await this.nodes.check(nodeId, reader);
    const trees = new TreeReader(reader, this.#ids, terms);
    const silent: string[] = [];
    const root = await unlessSilent(trees.read(node), node.sender, silent);
    return { root, nodeCount: trees.nodeCount, isTruncated: trees.isTruncated, silent };
  }

  async #desktop(
    session: BusSession,
    applications: readonly UnreadNode[],
    reader: ObjectReader,
    terms: TreeTerms,
  ): Promise<AccessibleTree> {
    const trees = new TreeReader(reader, this.#ids, terms);
    const silent: string[] = [];
    const read = applications.map((application) =>
      unlessSilent(trees.read(application, 1), application.sender, silent),
    );
    const children = (await Promise.all(read)).filter((root) => root !== undefined);
    const role = 'desktop frame';
    const id = this.#ids.idOf({ ...REGISTRY, role, session });
    const root = { id, role, name: '', description: '', states: [], bounds: undefined, value: undefined, children };
    return { root, nodeCount: trees.nodeCount + 1, isTruncated: trees.isTruncated, silent };
  }

  async #foreground(
    applications: readonly UnreadNode[],
    reader: ObjectReader,
    terms: TreeTerms,
  ): Promise<AccessibleTree> {
    const active = await this.#activeWindow().catch(ignore);
    const trees = new TreeReader(reader, this.#ids, terms);
    const silent: string[] = [];
    const front = await findForeground(reader, applications, { active: active ?? undefined, silent });
    const { application, windows } = front ?? {};
    const root = application && (await unlessSilent(trees.read(application, 0, windows), application.sender, silent));
    return { root, nodeCount: trees.nodeCount, isTruncated: trees.isTruncated || silent.length > 0, silent };
  }
}

function flatten(root: AccessibleNode): AccessibleNode[] {
  const all = [root];
  for (let at = 0; at < all.length; at += 1) all.push(...(all[at]?.children ?? []));
  return all;
}

function known(value: string | undefined, field: string, text: string): string {
  if (value !== undefined) return value;
  throw new SandboxError('unprocessable', `has an unknown name: ${text}`, { field });
}

/** @throws SandboxError if the registry, which knows the programs, is silent */
function silentRegistry(error: unknown): never {
  if (!(error instanceof SilentProgram)) throw error;
  const hint = 'try again, with a longer timeout_ms';
  throw new SandboxError('unavailable', 'the accessibility registry did not answer in time', { hint, cause: error });
}
