import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FixtureBuilds } from '../process/keeper/fixture-builds.fixture.ts';

/** The wall clock of the programs that are started with its environment; all other clocks are those of the system. */
export class WallClock implements Disposable {
  readonly #builds = new FixtureBuilds();
  readonly #directory = mkdtempSync(join(tmpdir(), 'wall-clock-'));
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds by which it is ahead of the system's. */
  ahead = 0;

  constructor() {
    this.env = { LD_PRELOAD: this.#builds.of('wall-clock-file', '-shared', '-fPIC'), WALL_CLOCK_FILE: this.#file };
    writeFileSync(this.#file, Buffer.alloc(8));
  }

  /** What it shows: milliseconds since 1970. */
  now(): number {
    return Date.now() + this.ahead;
  }

  /** Sets it forward by so many milliseconds, also for programs that run. */
  jump(ms: number): void {
    this.ahead += ms;
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(this.ahead));
    // Never shorter: programs have it mapped.
    writeFileSync(this.#file, bytes, { flag: 'r+' });
  }

  get #file(): string {
    return join(this.#directory, 'ahead');
  }

  [Symbol.dispose](): void {
    this.#builds[Symbol.dispose]();
    rmSync(this.#directory, { recursive: true });
  }
}
