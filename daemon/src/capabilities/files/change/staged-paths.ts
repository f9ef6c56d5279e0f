import { randomBytes } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { systemCodeOf } from '../../../core/files/file-failure.ts';
import {
  bytesOfPath,
  type FilePath,
  joinPath,
  nameOf,
  parentOf,
  pathOfBytes,
  shownPath,
} from '../../../core/files/file-path.ts';
import { PART_PREFIX, PART_SUFFIX } from '../names.ts';
import { removeTree } from './delete.ts';
import { HeldDirectory } from './held-directory.ts';

/** Bytes of notes after which those of what is gone are left out. */
const NOTES_BYTES = 256 * 1024;
const CLOSED = -1;

interface Note {
  readonly path: FilePath;
  /** What had this name and is kept under `path` until another one has it. */
  readonly name: FilePath | undefined;
}

/**
 * What is staged beside its target at the moment, noted on disk: what a killed daemon has left is removed by the one
 * that comes after. A note that cannot be written costs no more than that.
 */
export class StagedPaths implements Disposable {
  readonly #file: string;
  readonly #open = new Map<string, Note>();
  #descriptor = CLOSED;
  #length = 0;

  /** @param file that has the notes; what it names from before is removed in the background */
  constructor(file: string) {
    this.#file = file;
    const left = read(file);
    for (const note of left) this.#open.set(keyOf(note.path), note);
    quietly(() => {
      this.#descriptor = openSync(file, 'a', 0o600);
    });
    this.#rewrite();
    void this.#sweep(left);
  }

  /** A name in the directory for what comes into being there; `end` has to be called when it is moved or gone. */
  begin(directory: FilePath): FilePath {
    return this.#note({ path: partPath(directory, randomBytes(12).toString('hex')), name: undefined });
  }

  /** A name for what is at `target` while something else takes its place; it comes back if that does not happen. */
  beginAside(target: FilePath): FilePath {
    return this.#note({ path: partPath(parentOf(target), randomBytes(12).toString('hex')), name: nameOf(target) });
  }

  end(path: FilePath): void {
    if (this.#open.delete(keyOf(path)) && this.#open.size === 0 && this.#length > 0) this.#rewrite();
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== CLOSED) closeSync(this.#descriptor);
    this.#descriptor = CLOSED;
  }

  #note(note: Note): FilePath {
    this.#open.set(keyOf(note.path), note);
    if (this.#length > NOTES_BYTES) this.#rewrite();
    else this.#append(lineOf(note));
    return note.path;
  }

  #append(text: string): void {
    if (this.#descriptor === CLOSED) return;
    quietly(() => {
      this.#length += writeSync(this.#descriptor, text);
    });
  }

  /** Drops the notes of what is gone. */
  #rewrite(): void {
    if (this.#descriptor === CLOSED) return;
    const text = [...this.#open.values()].map(lineOf).join('');
    quietly(() => {
      if (text === '') {
        ftruncateSync(this.#descriptor, 0);
        this.#length = 0;
        return;
      }
      writeFileSync(`${this.#file}.new`, text, { mode: 0o600 });
      renameSync(`${this.#file}.new`, this.#file);
      closeSync(this.#descriptor);
      this.#descriptor = openSync(this.#file, 'a', 0o600);
      this.#length = text.length;
    });
  }

  async #sweep(left: readonly Note[]): Promise<void> {
    for (const note of left) {
      await removeLeft(note).catch((error: unknown) => {
        if (systemCodeOf(error) === undefined) throw error;
      });
      this.end(note.path);
    }
  }
}

export function partPath(directory: FilePath, id: string): FilePath {
  return joinPath(directory, `${PART_PREFIX}${id}${PART_SUFFIX}`);
}

/** Works in the directory that is there now, under names that nobody else has: a link that took its place leads to nothing. */
async function removeLeft({ path, name }: Note): Promise<void> {
  using directory = HeldDirectory.open(parentOf(path), { follow: true });
  const left = directory.at(nameOf(path));
  const isNameless = name !== undefined && !lstatSync(directory.at(name), { throwIfNoEntry: false });
  if (isNameless) renameSync(left, directory.at(name));
  else await removeTree(left);
}

function read(file: string): Note[] {
  let text = '';
  quietly(() => {
    text = readFileSync(file, 'latin1');
  });
  return text.split('\n').flatMap((line) => {
    const [path, name] = line.split(' ').map((part) => pathOfBytes(Buffer.from(part, 'base64')));
    return path !== undefined && isPart(path) ? [{ path, name }] : [];
  });
}

function isPart(path: FilePath): boolean {
  const shown = shownPath(path);
  return shown.startsWith('/') && /^\.svc-upload-[0-9a-f]{24}\.part$/.test(shownPath(nameOf(path)));
}

function lineOf({ path, name }: Note): string {
  const parts = name === undefined ? [path] : [path, name];
  return `${parts.map((part) => bytesOfPath(part).toString('base64')).join(' ')}\n`;
}

function keyOf(path: FilePath): string {
  return bytesOfPath(path).toString('latin1');
}

function quietly(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}
