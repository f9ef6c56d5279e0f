import { RequestFailed, SandboxError } from '../core/errors.ts';
import { notOfSandbox } from '../core/shape.ts';
import { type Call, dataOf, type Transport } from '../core/transport.ts';
import type { FileUploaded } from '../wire.ts';
import { type Sha256, sha256 } from './sha256.ts';
import type { Source } from './source.ts';

export interface Progress {
  readonly bytes: number;
  readonly total: number;
}

export interface TransferOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface UploadOptions extends TransferOptions {
  /** Octal digits, such as `755`. */
  readonly mode?: string | undefined;
  /** Owner of what is created. */
  readonly user?: string | undefined;
}

/** Bytes of one request. */
const PIECE = 4 * 1024 * 1024;

interface Target {
  readonly path: string;
  readonly options: UploadOptions;
}

/** Writes a file as a whole or in pieces; the old file stays until all bytes and their checksum are right. */
export async function upload(transport: Transport, target: Target, source: Source): Promise<void> {
  if (source.size <= PIECE) await putWhole(transport, target, source);
  else await new PieceUpload(transport, target, source).run();
}

async function putWhole(transport: Transport, { path, options }: Target, source: Source): Promise<void> {
  const bytes = await source.read(0, source.size);
  const hash = await sha256();
  hash.update(bytes);
  const query = queryOf(transport, path, options);
  const put = { method: 'PUT', query, bytes, signal: options.signal } as const;
  const { sha256: written } = await transport.data('/v2/fs/upload', 'FileUploaded', put);
  requireSame(hash.digest(), written, path);
  options.onProgress?.({ bytes: source.size, total: source.size });
}

/** An upload in pieces. A cut costs what was not received of one piece. */
class PieceUpload {
  readonly #transport: Transport;
  readonly #target: Target;
  readonly #source: Source;
  #hash: Sha256 | undefined;
  #hashed = 0;

  constructor(transport: Transport, target: Target, source: Source) {
    this.#transport = transport;
    this.#target = target;
    this.#source = source;
  }

  /** The second time without what an earlier upload left, which may be of another file. */
  async run(): Promise<void> {
    if (await this.#attempt(await this.#received(), false)) return;
    if (await this.#attempt(0, true)) return;
    throw wrongChecksum(this.#target.path);
  }

  /** Returns whether the checksum is right. */
  async #attempt(from: number, restart: boolean): Promise<boolean> {
    const { options } = this.#target;
    const { size } = this.#source;
    const attempts = this.#transport.attempts(options);
    this.#hash = await sha256();
    this.#hashed = 0;
    let isFirst = restart;
    for (let at = from; ; ) {
      const end = Math.min(at + PIECE, size);
      await this.#hashTo(this.#hash, end);
      const call = await this.#piece(at, end, isFirst);
      try {
        const { file_size, complete, sha256: written } = await this.#send(call);
        if (file_size > size || file_size < 0) throw notOfSandbox('the file is longer than what was sent');
        if (file_size > at || complete) attempts.succeed();
        else await attempts.pause(notOfSandbox('it took nothing of a piece'));
        isFirst = false;
        at = file_size;
        options.onProgress?.({ bytes: at, total: size });
        if (complete) return written === this.#hash.digest();
      } catch (error) {
        if (isMisplaced(error)) await attempts.pause(error);
        else await this.#transport.again(error, call, attempts);
        const before = at;
        at = isFirst ? 0 : await this.#received();
        // A part of a piece is progress too, where no connection lives for a whole one.
        if (at > before) attempts.succeed();
      }
    }
  }

  /** Sends once: after a cut the service may have a part of the piece, so that another one follows. */
  async #send(call: Call): Promise<FileUploaded> {
    using answer = await this.#transport.open('/v2/fs/upload', call);
    return await dataOf(answer, 'FileUploaded');
  }

  /** Bytes that the service has. If it has all, the last piece is sent again, which completes the file. */
  async #received(): Promise<number> {
    const { path, options } = this.#target;
    const { size } = this.#source;
    const headers = { 'content-range': `bytes */${size}` };
    const call = {
      method: 'PUT',
      query: queryOf(this.#transport, path, options),
      headers,
      signal: options.signal,
    } as const;
    const { file_size } = await this.#transport.data('/v2/fs/upload', 'FileUploaded', call);
    return file_size < size ? Math.max(0, file_size) : size - PIECE;
  }

  async #piece(start: number, end: number, restart: boolean): Promise<Call> {
    const { path, options } = this.#target;
    return {
      method: 'PUT',
      query: { ...queryOf(this.#transport, path, options), ...(restart && { restart }) },
      headers: { 'content-range': `bytes ${start}-${end - 1}/${this.#source.size}` },
      bytes: await this.#source.read(start, end - start),
      signal: options.signal,
    };
  }

  /** Each byte is hashed once, also if it is sent again. */
  async #hashTo(hash: Sha256, end: number): Promise<void> {
    while (this.#hashed < end) {
      const length = Math.min(PIECE, end - this.#hashed);
      hash.update(await this.#source.read(this.#hashed, length));
      this.#hashed += length;
    }
  }
}

function queryOf(
  transport: Transport,
  path: string,
  { mode, user }: UploadOptions,
): Record<string, string | undefined> {
  return { path, mode, user: user ?? transport.settings.user };
}

function isMisplaced(error: unknown): boolean {
  const isConflict = error instanceof RequestFailed && error.status === 409;
  return isConflict && typeof (error.data as { readonly size?: unknown } | null)?.size === 'number';
}

function requireSame(own: string, written: string | null, path: string): void {
  if (own !== written) throw wrongChecksum(path);
}

function wrongChecksum(path: string): SandboxError {
  return new SandboxError(`the checksum of the upload is wrong: ${path}`, {
    hint: 'look whether the file changes while it is read, or another upload has the same target',
  });
}
