import { badRequest } from '../../../core/files/file-failure.ts';
import { type FilePath, latin1Of, shownPath } from '../../../core/files/file-path.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import { LinkTree } from './link-tree.ts';
import type { TarEntry } from './read-entries.ts';

/** Bytes of a name: PATH_MAX of Linux. */
const NAME_BYTES = 4096;

/** Parts of a name below the root, as byte strings; empty for the root itself. */
export type Parts = readonly string[];

/**
 * The place of an entry below the root.
 * @throws FileFailure `bad_request` for an absolute name, one with `..`, and a longer one than the system takes
 */
export function partsOf(name: FilePath, what: string, target: string): Parts {
  const text = latin1Of(name);
  const refuse = (why: string): Error => badRequest(`${what} ${why}: ${shownPath(name)}`, 'import', target);
  if (text.length > NAME_BYTES) throw badRequest(`${what} has over ${NAME_BYTES} bytes`, 'import', target);
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
   * @throws FileFailure `bad_request` if a link leads out of the target
   */
  async requireWithin(): Promise<void> {
    const tree = new LinkTree();
    for (const [key, { to }] of this.#links) {
      tree.add(key.split('/'), this.#partsOf(to), to.startsWith('/'));
      if (isTurnSpent()) await yieldToEventLoop();
    }
    for (const [key, { entry, to }] of this.#links) {
      if (isTurnSpent()) await yieldToEventLoop();
      if (tree.staysWithin(key.split('/'))) continue;
      const target = Buffer.from(this.#target, 'latin1').toString('utf8');
      const where = Buffer.from(to, 'latin1').toString('utf8');
      throw badRequest(`a link leaves the target: ${shownPath(entry)} -> ${where}`, 'import', target);
    }
  }

  /** An absolute link may lead into the target itself; undefined for any other one. */
  #partsOf(to: string): Parts | undefined {
    if (!to.startsWith('/')) return pathSegments(to);
    const root = this.#target === '/' ? '' : this.#target;
    return to === root || to.startsWith(`${root}/`) ? pathSegments(to.slice(root.length)) : undefined;
  }
}

function pathSegments(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
