import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { ignore } from '@sandbox/program/ignore.ts';
import { mimeTypeOf } from '@sandbox/program/mime-types.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { sendError } from '../exchange/responses.ts';

/** Headers of every file: only the browser may store it, it revalidates each time, and the type is never guessed. */
export const FILE_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'private, no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

interface FileRequest {
  /** Path below the directory, percent-encoded as in the URL, without a leading slash. */
  readonly path: string;
  /** Added to the response; they cannot change its `Content-Type`. */
  readonly headers?: OutgoingHttpHeaders;
  readonly cookies?: readonly string[];
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly etag: string;
}

/** Serves regular files of one directory. Symlinks are followed, so only trusted users may write to the directory. */
export class StaticFiles {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** The text of a file; undefined if it cannot be served. */
  async read(path: string): Promise<string | undefined> {
    const found = await this.#open(path);
    if (!found) return undefined;
    try {
      return await found.handle.readFile('utf8');
    } finally {
      await found.handle.close();
    }
  }

  /** Sends the file for GET and HEAD, or 304 if the client has it (RFC 9110 §13.1.2); otherwise 404 or 405. */
  async send(exchange: Exchange, { path, headers = {}, cookies = [] }: FileRequest): Promise<void> {
    const { req, res, requestId } = exchange;
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      sendError(exchange, 405, {
        message: 'a file supports only GET and HEAD',
        hint: 'use GET',
        headers: { Allow: 'GET, HEAD' },
      });
      return;
    }
    const found = await this.#open(path);
    if (!found) {
      sendError(exchange, 404, { message: 'no such file', hint: '/ links to the pages of this sandbox' });
      return;
    }
    const { handle, size, etag } = found;
    const fields: OutgoingHttpHeaders = { ...FILE_HEADERS, ...headers, ETag: etag, 'x-request-id': requestId };
    if (cookies.length > 0) fields['Set-Cookie'] = [...cookies];
    const isUnmodified = matchesEtag(req.headers['if-none-match'], etag);
    if (isUnmodified || req.method === 'HEAD' || res.destroyed) await handle.close();
    if (isUnmodified) {
      res.writeHead(304, fields).end();
      return;
    }
    res.writeHead(200, { ...fields, 'Content-Type': typeOf(path), 'Content-Length': size });
    if (req.method === 'HEAD') res.end();
    else if (!res.destroyed) sendContent(handle, size, res);
  }

  async #open(path: string): Promise<OpenFile | undefined> {
    const name = fileName(path);
    if (name === undefined) return undefined;
    // Without O_NONBLOCK, opening a FIFO waits for a writer.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    const handle = await open(join(this.directory, name), flags).catch(() => undefined);
    const stat = await handle?.stat();
    if (!handle || !stat?.isFile()) {
      await handle?.close();
      return undefined;
    }
    return { handle, size: stat.size, etag: `"${stat.size.toString(36)}-${Math.trunc(stat.mtimeMs).toString(36)}"` };
  }
}

/** The read stream closes the file, also if the client disconnects first. */
function sendContent(handle: FileHandle, size: number, res: ServerResponse): void {
  if (size === 0) {
    handle.close().catch(ignore);
    res.end();
    return;
  }
  const stream = handle.createReadStream({ end: size - 1, highWaterMark: 256 * 1024 });
  stream.on('error', () => res.destroy());
  res.on('close', () => stream.destroy());
  stream.pipe(res);
}

/** @returns undefined for a path that could leave the directory or that two decoders could read differently */
function fileName(path: string): string | undefined {
  let name: string;
  try {
    name = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  if (/[\\\0]/.test(name) || /%2f/i.test(path)) return undefined;
  const segments = name.split('/');
  return segments.some((segment) => segment === '' || segment.startsWith('.')) ? undefined : name;
}

function typeOf(path: string): string {
  const type = mimeTypeOf(extname(path));
  return type.startsWith('text/') || type === 'application/json' ? `${type}; charset=utf-8` : type;
}

function matchesEtag(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition.trim() === '*' || condition.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
