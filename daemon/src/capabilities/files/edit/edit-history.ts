import { bytesOfPath, type FilePath } from '../../../core/files/file-path.ts';

/** Former contents kept for one file, and characters kept for all files together. */
const DEPTH = 20;
const CHARACTERS = 32 * 1024 ** 2;
/** Characters that a step counts for beside its content. */
const STEP_CHARACTERS = 512;

interface Step {
  readonly before: string;
  readonly size: number;
}

/** Contents of files before their edits, newest last; those of the least recently edited file are dropped first. */
export class EditHistory {
  readonly #files = new Map<string, Step[]>();
  #size = 0;

  push(path: FilePath, before: string): void {
    const key = keyOf(path);
    const steps = this.#files.get(key) ?? [];
    this.#files.delete(key);
    const size = before.length + key.length + STEP_CHARACTERS;
    steps.push({ before, size });
    this.#size += size;
    if (steps.length > DEPTH) this.#size -= steps.shift()?.size ?? 0;
    this.#files.set(key, steps);
    this.#trim();
  }

  /** Content of the file before the last edit that was not undone. */
  peek(path: FilePath): string | undefined {
    return this.#files.get(keyOf(path))?.at(-1)?.before;
  }

  pop(path: FilePath): void {
    const steps = this.#files.get(keyOf(path));
    this.#size -= steps?.pop()?.size ?? 0;
    if (steps?.length === 0) this.#files.delete(keyOf(path));
  }

  #trim(): void {
    for (const [key, steps] of this.#files) {
      while (this.#size > CHARACTERS && steps.length > 0) this.#size -= steps.shift()?.size ?? 0;
      if (steps.length === 0) this.#files.delete(key);
      if (this.#size <= CHARACTERS) return;
    }
  }
}

function keyOf(path: FilePath): string {
  return bytesOfPath(path).toString('latin1');
}
