import { badRequest } from '../../../core/files/file-failure.ts';
import { type FilePath, latin1Of, shownPath } from '../../../core/files/file-path.ts';
import { keyOf, type Parts, pathSegments } from '../../../core/files/tar/names.ts';
import type { TarEntry } from '../../../core/files/tar/read-entries.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import { LinkTree } from './link-tree.ts';

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
