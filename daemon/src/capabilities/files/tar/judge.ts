import { badRequest } from '../../../core/files/file-failure.ts';
import { type FilePath, latin1Of, shownPath } from '../../../core/files/file-path.ts';
import type { TarEntry } from './read-entries.ts';

/** Links that Linux follows in one path. */
const LINKS_MAX = 40;

/** Parts of a name below the root, as byte strings; empty for the root itself. */
export type Parts = readonly string[];

/**
 * The place of an entry below the root.
 * @throws FileFailure `bad_request` for an absolute name and for one with `..`
 */
export function partsOf(name: FilePath, what: string, target: string): Parts {
  const text = latin1Of(name);
  const refuse = (why: string): Error => badRequest(`${what} ${why}: ${shownPath(name)}`, 'import', target);
  if (text.startsWith('/')) throw refuse('is absolute');
  if (text.includes('\0')) throw refuse('contains NUL');
  const parts = pathSegments(text);
  if (parts.includes('..')) throw refuse('contains ..');
  return parts;
}

export function keyOf(parts: Parts): string {
  return parts.join('/');
}

/** The key of an entry's parent; empty for the root. */
export function parentKeyOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}

/** Symlinks of an archive with their targets, by the names of their entries. */
export class Links {
  readonly #target: string;
  readonly #links = new Map<string, { readonly entry: FilePath; readonly to: string }>();

  /** @param target directory into which the archive is imported */
  constructor(target: FilePath) {
    this.#target = latin1Of(target);
  }

  add(parts: Parts, { name, link }: TarEntry): void {
    this.#links.set(keyOf(parts), { entry: name, to: latin1Of(link) });
  }

  has(parts: Parts): boolean {
    return this.#links.has(keyOf(parts));
  }

  delete(parts: Parts): void {
    this.#links.delete(keyOf(parts));
  }

  /**
   * Resolves every link through all others, as the system would after the import: a single link can stay inside while
   * the links that it passes through lead outside.
   * @throws FileFailure `bad_request` where a link leads out of the target
   */
  requireWithin(): void {
    for (const [key, { entry, to }] of this.#links) {
      if (!this.#resolve(key.split('/').slice(0, -1), to, { left: LINKS_MAX })) {
        const target = Buffer.from(this.#target, 'latin1').toString('utf8');
        const where = Buffer.from(to, 'latin1').toString('utf8');
        throw badRequest(`a link leaves the target: ${shownPath(entry)} -> ${where}`, 'import', target);
      }
    }
  }

  /** The path that a link in a directory resolves to; undefined outside the target. A loop resolves to nothing. */
  #resolve(from: Parts, to: string, budget: { left: number }): Parts | undefined {
    const start = this.#startOf(from, to);
    let at = start?.at;
    for (const part of start?.rest ?? []) {
      if (at === undefined) return undefined;
      at = part === '..' ? parentOf(at) : this.#enter(at, part, budget);
    }
    return at;
  }

  #enter(at: Parts, part: string, budget: { left: number }): Parts | undefined {
    const link = this.#links.get(keyOf([...at, part]));
    if (!link) return [...at, part];
    budget.left -= 1;
    return budget.left < 0 ? [] : this.#resolve(at, link.to, budget);
  }

  /** An absolute link may lead into the target itself. */
  #startOf(from: Parts, to: string): { at: Parts; rest: Parts } | undefined {
    if (!to.startsWith('/')) return { at: from, rest: pathSegments(to) };
    const root = this.#target === '/' ? '' : this.#target;
    return to === root || to.startsWith(`${root}/`) ? { at: [], rest: pathSegments(to.slice(root.length)) } : undefined;
  }
}

function pathSegments(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function parentOf(parts: Parts): Parts | undefined {
  return parts.length === 0 ? undefined : parts.slice(0, -1);
}
