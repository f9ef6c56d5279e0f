import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOfPath, type FilePath, pathOfBytes } from '../../../core/files/file-path.ts';
import { unlinkQuietly } from './part-file.ts';

/** Milliseconds after its last byte that a part of an upload is kept. */
export const KEPT_MS = 3_600_000;

/** Which parts of uploads lie about, on disk, so that a daemon that comes after knows them; old ones are removed. */
export class PartRegister implements Disposable {
  readonly #directory: string;
  readonly #keptMs: number;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(directory: string, keptMs = KEPT_MS) {
    this.#directory = directory;
    this.#keptMs = keptMs;
    for (const name of readdirSync(directory)) this.#watch(name, pathOfBytes(readFileSync(join(directory, name))), 0);
  }

  /** Notes a part before it is there. */
  keep(part: FilePath): void {
    const name = createHash('sha256').update(bytesOfPath(part)).digest('hex');
    if (this.#timers.has(name)) return;
    writeFileSync(join(this.#directory, name), bytesOfPath(part), { mode: 0o600 });
    this.#watch(name, part);
  }

  /** Of a part that has become a file. */
  forget(part: FilePath): void {
    const name = createHash('sha256').update(bytesOfPath(part)).digest('hex');
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    unlinkQuietly(join(this.#directory, name));
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #watch(name: string, part: FilePath, delay = this.#keptMs): void {
    const look = (): void => {
      const written = statSync(part, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      const remaining = written + this.#keptMs - Date.now();
      if (remaining > 0) {
        this.#watch(name, part, remaining);
        return;
      }
      unlinkQuietly(part);
      this.forget(part);
    };
    this.#timers.set(name, setTimeout(look, delay).unref());
  }
}
