/** A directory or a link of an archive, as far as links are below it. */
class Place {
  readonly parent: Place | undefined;
  readonly entries = new Map<string, Place>();
  link: Link | undefined;

  constructor(parent: Place | undefined) {
    this.parent = parent;
  }
}

/** Where a path leads: `below` counts directories below the place that contain no link. */
interface Position {
  readonly place: Place;
  readonly below: number;
}

interface Link {
  /** Parts of the target; undefined if it begins outside. */
  readonly rest: readonly string[] | undefined;
  /** Where the walk along the parts begins. */
  readonly from: Place;
  /** While other links are resolved for this one. */
  isOpen: boolean;
  /** Undefined before the link is resolved. */
  leads: { readonly to: Position | undefined } | undefined;
}

/** A link on its way along the parts of its target. */
interface Walk {
  readonly link: Link;
  next: number;
  at: Position | undefined;
}

/** The links of an archive by their places. Each is resolved once, so that the work is linear in their length. */
export class LinkTree {
  readonly #root = new Place(undefined);

  /** @param target parts of the target, from the root if `isAbsolute`; undefined: it begins outside */
  add(name: readonly string[], target: readonly string[] | undefined, isAbsolute: boolean): void {
    let at = this.#root;
    for (const part of name) {
      const next = at.entries.get(part) ?? new Place(at);
      at.entries.set(part, next);
      at = next;
    }
    const from = isAbsolute ? this.#root : (at.parent ?? this.#root);
    at.link = { rest: target, from, isOpen: false, leads: undefined };
  }

  /** Whether the link leads to a place below the root, through all others; a loop leads nowhere. */
  staysWithin(name: readonly string[]): boolean {
    let at: Place | undefined = this.#root;
    for (const part of name) at = at?.entries.get(part);
    return at?.link === undefined || this.#resolve(at.link).to !== undefined;
  }

  /** An explicit stack, because a chain of links may be longer than the call stack. */
  #resolve(link: Link): { readonly to: Position | undefined } {
    const walks: Walk[] = [];
    if (link.leads === undefined) walks.push(beginWalk(link));
    for (let walk = walks.at(-1); walk !== undefined; walk = walks.at(-1)) {
      const through = this.#advance(walk);
      if (through !== undefined) {
        walks.push(beginWalk(through));
      } else {
        walk.link.isOpen = false;
        walk.link.leads = { to: walk.at };
        walks.pop();
      }
    }
    return link.leads ?? { to: undefined };
  }

  /** Goes on to the end of the target; answers a link that has to be resolved first. */
  #advance(walk: Walk): Link | undefined {
    const { rest } = walk.link;
    while (rest !== undefined && walk.at !== undefined && walk.next < rest.length) {
      const step = this.#step(walk.at, rest[walk.next] ?? '');
      if (step !== undefined && 'rest' in step) return step;
      walk.at = step;
      walk.next += 1;
    }
    return undefined;
  }

  #step({ place, below }: Position, part: string): Position | Link | undefined {
    if (part === '..') return below > 0 ? { place, below: below - 1 } : place.parent && { place: place.parent, below };
    const entry = below > 0 ? undefined : place.entries.get(part);
    if (entry === undefined) return { place, below: below + 1 };
    if (entry.link === undefined) return { place: entry, below: 0 };
    if (entry.link.isOpen) return { place: this.#root, below: 0 };
    return entry.link.leads === undefined ? entry.link : entry.link.leads.to;
  }
}

function beginWalk(link: Link): Walk {
  link.isOpen = true;
  return { link, next: 0, at: link.rest === undefined ? undefined : { place: link.from, below: 0 } };
}
