import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeRows } from '../../../../../scripts/testing/describe-rows.ts';
import { KEEPERS } from './keeper.fixture.ts';

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

  /** The environment of a program, built with or without sanitizers, that has this library preloaded. */
  preload(name: string): { readonly LD_PRELOAD: string; readonly ASAN_OPTIONS: string } {
    return { LD_PRELOAD: this.of(name, '-shared', '-fPIC'), ASAN_OPTIONS: 'verify_asan_link_order=0' };
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true });
  }
}

/** As `describeRows`, once for each keeper that was built, where C fixtures can be compiled; `builds` is for its tests. */
export function describeWithBuilds(
  nameOf: (keeper: string) => string,
  define: (suite: { readonly program: string; readonly builds: FixtureBuilds }) => void,
): void {
  let builds: FixtureBuilds;
  beforeAll(() => {
    builds = new FixtureBuilds();
  });
  afterAll(() => builds[Symbol.dispose]());
  describeRows(
    KEEPERS.map((row) => ({ ...row, isThere: row.isThere && compiles })),
    ({ name }) => nameOf(name),
    ({ program }) =>
      define({
        program,
        get builds() {
          return builds;
        },
      }),
  );
}
