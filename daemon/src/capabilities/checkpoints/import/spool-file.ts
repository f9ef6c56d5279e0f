import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { errnoName } from '../../../core/errno-name.ts';
import { isFull } from '../../../core/records/replace-file.ts';
import { ARCHIVE_BYTES_MAX } from './import-archive.ts';
import { tooLargeArchive } from './refused-archive.ts';

const PREFIX = 'import-';
/** Bytes that are collected before a write. */
const BATCH_BYTES = 512 * 1024;

/** An archive that a client sends, in a file of the store without a name: a slow client keeps no other call waiting. */
export class SpoolFile implements AsyncDisposable {
  readonly #file: FileHandle;
  #length = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @param directory of the store */
  static async open(directory: string): Promise<SpoolFile> {
    const path = join(directory, `${PREFIX}${randomBytes(8).toString('hex')}`);
    try {
      const file = await open(path, 'wx+', 0o600);
      await unlink(path);
      return new SpoolFile(file);
    } catch (error) {
      throw failureOf(error);
    }
  }

  get descriptor(): number {
    return this.#file.fd;
  }

  /** @throws SandboxError `too_large` over 4 GiB, `disk_full`; what the source throws */
  async write(source: AsyncIterable<Buffer>): Promise<void> {
    let batch: Buffer[] = [];
    let size = 0;
    const flush = async (): Promise<void> => {
      const bytes = Buffer.concat(batch);
      [batch, size] = [[], 0];
      await this.#append(bytes);
    };
    for await (const piece of source) {
      batch.push(piece);
      size += piece.length;
      if (this.#length + size > ARCHIVE_BYTES_MAX) throw tooLargeArchive(`over ${ARCHIVE_BYTES_MAX} bytes`);
      if (size >= BATCH_BYTES) await flush();
    }
    await flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async #append(bytes: Buffer): Promise<void> {
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#length + done);
        done += bytesWritten;
      }
    } catch (error) {
      throw failureOf(error);
    }
    this.#length += bytes.length;
  }
}

/** Removes files that a kill left before they lost their name. */
export function removeSpools(directory: string): void {
  for (const name of readdirSync(directory))
    if (name.startsWith(PREFIX)) rmSync(join(directory, name), { force: true });
}

function failureOf(error: unknown): unknown {
  if (!isFull(error)) return error;
  return new SandboxError('disk_full', `the file system of the checkpoints is full (${errnoName(error)})`, {
    hint: 'delete files or checkpoints, then repeat the call',
    cause: error,
  });
}
