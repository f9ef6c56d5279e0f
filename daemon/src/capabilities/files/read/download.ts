import { overCap } from '../../../core/files/file-failure.ts';
import { type FilePath, nameOf, shownPath } from '../../../core/files/file-path.ts';
import { etagOf } from '../etag.ts';
import { OpenFile } from './open-file.ts';
import { READ_BYTES_MAX } from './read.ts';
import { type ChangePolicy, sendBytes } from './send-bytes.ts';

/** A regular file held open for sending. */
export class Download implements Disposable {
  readonly etag: string;
  readonly modified: Date;
  readonly size: number;
  readonly name: string;
  readonly #path: FilePath;
  readonly #file: OpenFile;
  readonly #policy: ChangePolicy;
  /** Content of a file of /proc, which has the size 0. */
  readonly #unsized: Buffer | undefined;

  private constructor(path: FilePath, file: OpenFile, policy: ChangePolicy, unsized: Buffer | undefined) {
    this.etag = etagOf(file.stats);
    this.modified = file.stats.mtime;
    this.size = unsized?.length ?? file.size;
    this.name = shownPath(nameOf(path));
    this.#path = path;
    this.#file = file;
    this.#policy = policy;
    this.#unsized = unsized;
  }

  /** @throws FileFailure `invalid_target` unless it is a regular file; `too_large` for a large file of size 0 */
  static async open(path: FilePath, policy: ChangePolicy): Promise<Download> {
    const file = await OpenFile.open(path, 'download');
    try {
      return new Download(path, file, policy, file.size === 0 ? await unsizedBytes(file, path) : undefined);
    } catch (error) {
      file[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Bytes of the file. With `abort` the first ones are read before this resolves, so that a change can still
   * be reported in the status of an answer; a later change ends the bytes with an error.
   * @throws SandboxError `conflict`
   */
  async read(start: number, end: number): Promise<AsyncIterable<Buffer> | Iterable<Buffer>> {
    if (this.#unsized) return [this.#unsized.subarray(start, end)];
    const pieces = sendBytes(this.#file, this.#path, { start, end, policy: this.#policy });
    return this.#policy === 'abort' ? withFirst(await pieces.next(), pieces) : pieces;
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}

async function unsizedBytes(file: OpenFile, path: FilePath): Promise<Buffer> {
  const bytes = await file.readWhole(READ_BYTES_MAX);
  if (bytes) return bytes;
  throw overCap(
    `the file does not end within ${READ_BYTES_MAX} bytes: ${shownPath(path)}`,
    'download',
    shownPath(path),
  );
}

async function* withFirst(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
