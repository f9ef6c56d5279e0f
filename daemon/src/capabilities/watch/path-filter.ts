import { type ByteName, textOf } from '../../core/files/byte-name.ts';
import { isPartName } from '../../core/files/part-name.ts';
import { GlobRules } from '../../core/glob/glob-rules.ts';

/** Decides what a watcher descends into and what it reports, by patterns in the syntax of .gitignore. */
export class PathFilter {
  readonly #exclude: GlobRules;
  readonly #include: GlobRules;

  /** @param include unless empty, only what matches one of these is reported @throws RangeError as `GlobRules` */
  constructor(exclude: readonly string[], include: readonly string[]) {
    this.#exclude = new GlobRules(exclude);
    this.#include = new GlobRules(include);
  }

  /** Whether it is neither reported nor descended into. The directories above it are assumed not to be excluded. */
  excludes(path: ByteName, isDirectory: boolean): boolean {
    if (path === '') return false;
    return (
      isPartName(path.slice(path.lastIndexOf('/') + 1)) ||
      (!this.#exclude.isEmpty && this.#exclude.judge(textOf(path), isDirectory) === 'matched')
    );
  }

  reports(path: ByteName, isDirectory: boolean): boolean {
    if (this.#include.isEmpty || path === '') return true;
    return this.#include.judge(textOf(path), isDirectory) === 'matched';
  }
}
