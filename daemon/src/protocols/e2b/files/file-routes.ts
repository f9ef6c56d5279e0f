import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { FilesPort } from '../../../core/ports/files-port.ts';
import { readFormFiles } from '../../../http/files/form-files.ts';
import { rangeOf } from '../../../http/files/ranges.ts';
import type { Accounts } from '../accounts.ts';
import { type E2bCall, sendJson } from '../call.ts';
import { attributesOf, type Metadata, metadataOf } from './metadata.ts';

/** Files of one form. */
const FORM_FILES_MAX = 1000;

interface WrittenFile {
  readonly name: string;
  readonly type: 'file';
  readonly path: string;
  /** Unset without any. */
  readonly metadata?: Metadata;
}

interface WriteTerms {
  readonly user: string | undefined;
  readonly metadata: Metadata;
}

/** `GET /files` and `POST /files`. */
export class FileRoutes {
  readonly #files: FilesPort;
  readonly #accounts: Accounts;

  constructor(files: FilesPort, accounts: Accounts) {
    this.#files = files;
    this.#accounts = accounts;
  }

  async read(call: E2bCall): Promise<void> {
    const { req, res, gone } = call;
    const user = this.#accounts.userOf(call.query.get('username') ?? undefined);
    const path = this.#accounts.pathOf(call.query.get('path') ?? '', user);
    const encoding = encodingOf(req.headers['accept-encoding']);
    using file = await this.#download(path);
    const range = encoding === 'identity' ? rangeOf(req.headers.range, file.size) : undefined;
    if (range === 'unsatisfiable') throw new SandboxError('invalid', `the file has ${file.size} bytes`);
    const { start, end } = range ?? { start: 0, end: file.size };
    res.setHeader('content-type', 'application/octet-stream');
    res.setHeader('last-modified', file.modified.toUTCString());
    res.setHeader('content-disposition', `inline; filename*=UTF-8''${encodeURIComponent(file.name)}`);
    res.setHeader('vary', 'Accept-Encoding');
    res.setHeader('accept-ranges', 'bytes');
    const pieces = req.method === 'HEAD' ? [] : await file.read(start, end);
    if (encoding === 'gzip') {
      res.setHeader('content-encoding', 'gzip');
      res.writeHead(200);
      await pipeline(Readable.from(pieces, { objectMode: false }), createGzip({ level: 1 }), res, { signal: gone });
      return;
    }
    res.setHeader('content-length', end - start);
    if (range) res.setHeader('content-range', `bytes ${start}-${end - 1}/${file.size}`);
    res.writeHead(range ? 206 : 200);
    await pipeline(pieces, res, { signal: gone });
  }

  async write(call: E2bCall): Promise<void> {
    const { req, res, query } = call;
    const user = this.#accounts.userOf(query.get('username') ?? undefined);
    const type = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
    const body = contentOf(call);
    const target = query.get('path');
    const terms = { user, metadata: metadataOf(req) };
    if (type !== 'multipart/form-data') {
      if (target === null || target === '') {
        throw new SandboxError('invalid', 'path is missing: a body of bytes needs the parameter path');
      }
      sendJson(res, 200, [await this.#store(this.#accounts.pathOf(target, user), body, terms)]);
      return;
    }
    const isSigned = query.has('signature');
    const written: WrittenFile[] = [];
    await readFormFiles(body, req.headers, { filesMax: FORM_FILES_MAX }, async ({ name, content }) => {
      const named = target === null || target === '' ? name : target;
      if (named === undefined || named === '') throw new SandboxError('invalid', 'the file of the form has no name');
      // A signature without a path is good for the home of its account alone.
      if (isSigned && named !== target && posix.basename(named) !== named) {
        throw new SandboxError('forbidden', 'the signature names no path: the name of the file must have no slash');
      }
      written.push(await this.#store(this.#accounts.pathOf(named, user), content, terms));
    });
    sendJson(res, 200, written);
  }

  async #store(path: string, content: AsyncIterable<Buffer>, { user, metadata }: WriteTerms): Promise<WrittenFile> {
    const caller = { user };
    await this.#files.mkdir(posix.dirname(path), true, caller);
    if (await this.#isDirectory(path)) throw new SandboxError('invalid', `path '${path}' is a directory`);
    await this.#files.uploadWhole(path, content, caller, { attributes: attributesOf(metadata) });
    const written = { name: posix.basename(path), type: 'file', path } as const;
    return Object.keys(metadata).length === 0 ? written : { ...written, metadata };
  }

  async #isDirectory(path: string): Promise<boolean> {
    try {
      return (await this.#files.stat(path, true)).stats.isDirectory();
    } catch {
      return false;
    }
  }

  async #download(path: string) {
    const { stats } = await this.#files.stat(path, true);
    if (stats.isDirectory()) throw new SandboxError('invalid', `path '${path}' is a directory`);
    return await this.#files.download(path, 'abort');
  }
}

/** gzip only if the client names nothing else: most clients name it with every request. */
function encodingOf(accepted: string | string[] | undefined): 'identity' | 'gzip' {
  return /^\s*gzip\s*(?:;\s*q=1(?:\.0*)?\s*)?$/i.test(String(accepted ?? '')) ? 'gzip' : 'identity';
}

/** The body without its content coding. @throws SandboxError `invalid` for another one than gzip */
function contentOf({ req }: E2bCall): Readable {
  const coding = req.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (coding === 'identity' || coding === '') return req;
  if (coding !== 'gzip') throw new SandboxError('invalid', `content-encoding ${coding} is not served: send gzip`);
  const gunzip = createGunzip();
  req.once('error', (error) => gunzip.destroy(error));
  req.once('close', () => {
    if (!req.readableEnded) gunzip.destroy(new Error('the connection was closed'));
  });
  return req.pipe(gunzip);
}
