import { type ByteName, textOf } from '../../core/files/byte-name.ts';
import { GlobRules } from '../../core/glob/glob-rules.ts';

/** What an upload is spooled to: no watcher reports it. */
const SPOOL = /(?:^|\/)\.svc-upload-[^/]*\.part$/;

/** Decides what a watcher descends into and what it reports, by patterns in the manner of .gitignore. */
export class PathFilter {
  readonly #exclude: GlobRules;
  readonly #include: GlobRules;

  /** `include`: where it is not empty, only what fits one of it is reported. @throws RangeError as `GlobRules` */
  constructor(exclude: readonly string[], include: readonly string[]) {
    this.#exclude = new GlobRules(exclude);
    this.#include = new GlobRules(include);
  }

  /** Neither reported nor descended into. Whatever it lies in is taken not to be excluded. */
  excludes(path: ByteName, isDirectory: boolean): boolean {
    if (path === '') return false;
    return SPOOL.test(path) || (!this.#exclude.isEmpty && this.#exclude.judge(textOf(path), isDirectory) === 'matched');
  }

  reports(path: ByteName, isDirectory: boolean): boolean {
    if (this.#include.isEmpty || path === '') return true;
    return this.#include.judge(textOf(path), isDirectory) === 'matched';
  }
}
