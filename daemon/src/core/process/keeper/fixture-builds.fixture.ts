import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether C fixtures can be compiled here. */
export const compiles = spawnSync('cc', ['--version']).error === undefined;

/** C fixtures of this folder, compiled on demand into a directory that every account may enter. */
export class FixtureBuilds implements Disposable {
  readonly directory: string = mkdtempSync(join(tmpdir(), 'keeper-fixtures-'));
  readonly #built = new Map<string, string>();

  constructor() {
    chmodSync(this.directory, 0o755);
  }

  /** Path of the program, or of the library where the flags say so. */
  of(name: string, ...flags: readonly string[]): string {
    const known = this.#built.get(name);
    if (known !== undefined) return known;
    const built = join(this.directory, name);
    const source = join(import.meta.dirname, `${name}.fixture.c`);
    execFileSync('cc', ['-D_GNU_SOURCE', ...flags, '-o', built, source]);
    this.#built.set(name, built);
    return built;
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true });
  }
}
