import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { mimeTypeOf } from '@sandbox/program/mime-types.ts';
import { answerRefusal } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** Of every file: kept by nobody but the browser, which asks each time; never taken for another type. */
const FILE_HEADERS: OutgoingHttpHeaders = {
  'Cache-Control': 'private, no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

interface Asked {
  /** Below the directory, as it stands in the URL, without a leading slash. */
  readonly path: string;
  /** Sent with every file, the type of which they cannot change. */
  readonly headers?: OutgoingHttpHeaders;
  readonly cookies?: readonly string[];
}

interface Found {
  readonly handle: FileHandle;
  readonly size: number;
  readonly etag: string;
}

/** Serves the regular files of one directory; links in it are followed, so it belongs to who runs the gateway. */
export class StaticFiles {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Whether a file is there to be served. */
  async has(path: string): Promise<boolean> {
    const found = await this.#open(path);
    await found?.handle.close();
    return found !== undefined;
  }

  /** Answers GET and HEAD with the file, 304 where the client has it (RFC 9110 §13.1.2); else 404 or 405. */
  async answer(exchange: Exchange, { path, headers = {}, cookies = [] }: Asked): Promise<void> {
    const { req, res, requestId } = exchange;
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      answerRefusal(exchange, 405, { message: 'this is a file: GET or HEAD it', headers: { Allow: 'GET, HEAD' } });
      return;
    }
    const found = await this.#open(path);
    if (!found) {
      answerRefusal(exchange, 404, { message: 'there is no such file here' });
      return;
    }
    const { handle, size, etag } = found;
    const fields: OutgoingHttpHeaders = { ...FILE_HEADERS, ...headers, ETag: etag, 'x-request-id': requestId };
    if (cookies.length > 0) fields['Set-Cookie'] = [...cookies];
    const known = isKnown(req.headers['if-none-match'], etag);
    if (known || req.method === 'HEAD' || res.destroyed) await handle.close();
    if (known) {
      res.writeHead(304, fields).end();
      return;
    }
    res.writeHead(200, { ...fields, 'Content-Type': typeOf(path), 'Content-Length': size });
    if (req.method === 'HEAD') res.end();
    else if (!res.destroyed) send(handle, size, res);
  }

  async #open(path: string): Promise<Found | undefined> {
    const name = fileName(path);
    if (name === undefined) return undefined;
    // Without O_NONBLOCK, opening a fifo waits for a writer.
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

/** The stream closes the file, whoever ends first. */
function send(handle: FileHandle, size: number, res: ServerResponse): void {
  if (size === 0) {
    handle.close().catch(() => {});
    res.end();
    return;
  }
  const stream = handle.createReadStream({ end: size - 1, highWaterMark: 256 * 1024 });
  stream.on('error', () => res.destroy());
  res.on('close', () => stream.destroy());
  stream.pipe(res);
}

/** @returns undefined for what is no plain path below a directory, whoever reads it. */
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

function isKnown(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition.trim() === '*' || condition.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
