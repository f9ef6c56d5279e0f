import { chunksOf } from '../core/body.ts';
import { SandboxError } from '../core/errors.ts';
import { notOfSandbox } from '../core/shape.ts';
import type { Call, Transport } from '../core/transport.ts';
import type { Progress } from './upload.ts';

export interface ReadOptions {
  /** Byte to begin at; default 0. */
  readonly offset?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The bytes of a file, at the pace of the consumer; a cut connection is continued at the next byte.
 * @throws SandboxError if the file changes meanwhile
 */
export async function* download(transport: Transport, path: string, options: ReadOptions): AsyncGenerator<Uint8Array> {
  const attempts = transport.attempts(options);
  const place: Place = { at: options.offset ?? 0, etag: undefined, total: Number.POSITIVE_INFINITY };
  for (;;) {
    const call = callFor(path, place, options);
    try {
      using answer = await transport.open('/v2/fs/download', call);
      begin(answer.response, place, path);
      for await (const chunk of chunksOf(answer)) {
        attempts.succeed();
        place.at += chunk.length;
        options.onProgress?.({ bytes: place.at, total: place.total });
        yield chunk;
      }
      if (place.at >= place.total) return;
      throw new Error('the connection ended before the file');
    } catch (error) {
      if (statusOf(error) === BEYOND) return;
      if (statusOf(error) === CHANGED) throw changed(path, error);
      await transport.again(error, call, attempts);
    }
  }
}

/** The range begins at the end of the file. */
const BEYOND = 416;
const CHANGED = 412;

interface Place {
  at: number;
  etag: string | undefined;
  /** Bytes of the file. */
  total: number;
}

function callFor(path: string, { at, etag }: Place, { signal }: ReadOptions): Call {
  // A proxy that compressed the file would send no length of it.
  const plain = { 'accept-encoding': 'identity' };
  const range = at > 0 ? { range: `bytes=${at}-` } : {};
  return { query: { path }, headers: { ...plain, ...range, ...(etag !== undefined && { 'if-match': etag }) }, signal };
}

function begin({ headers, status }: Response, place: Place, path: string): void {
  if (place.at > 0 && !(status === 206 && isRangeFrom(place.at, headers.get('content-range')))) {
    throw new SandboxError(`the service sends no range of ${path}`);
  }
  place.etag ??= headers.get('etag') ?? undefined;
  // Without a length, as from a proxy that compresses, a cut could not be told from the end.
  const length = headers.get('content-length');
  if (length === null || !/^\d+$/.test(length)) throw notOfSandbox('a file has no length');
  place.total = place.at + Number(length);
}

/** Whether `Content-Range` begins at the byte. A page may not see the header. */
function isRangeFrom(at: number, range: string | null): boolean {
  return range === null || range.startsWith(`bytes ${at}-`);
}

function statusOf(error: unknown): number | undefined {
  return error instanceof SandboxError ? (error as { readonly status?: number }).status : undefined;
}

function changed(path: string, cause: unknown): SandboxError {
  return new SandboxError(`the file changed while it was read: ${path}`, { hint: 'read it again', cause });
}
