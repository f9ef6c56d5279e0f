import type { BigIntStats, Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { FileFailure } from '../../core/files/file-failure.ts';
import { type FilePath, parentOf, shownPath } from '../../core/files/file-path.ts';
import type { FilesPort } from '../../core/ports/files-port.ts';
import { readFormFiles } from '../../http/files/form-files.ts';
import { rangeOf } from '../../http/files/ranges.ts';
import type { ProtocolCall } from '../../http/protocols/protocol.ts';
import { Refused } from './answers.ts';

/** Entries that are read at once. */
const PAGE = 1000;
/** Parts of one form. */
const PARTS_MAX = 100;

export interface RootedEntry {
  readonly name: string;
  /** Of the target of a link. */
  readonly stats: Stats | BigIntStats;
}

/** What both runtime APIs do with files below the root. */
export class RootedFiles {
  readonly #files: FilesPort;

  constructor(files: FilesPort) {
    this.#files = files;
  }

  /** @throws Refused 404 */
  async stat(path: FilePath): Promise<BigIntStats> {
    const stats = await this.find(path);
    if (stats) return stats;
    throw new Refused(404, 'the path does not exist in the sandbox');
  }

  /** Undefined if nothing is there. */
  async find(path: FilePath): Promise<BigIntStats | undefined> {
    try {
      return (await this.#files.stat(path, true)).stats;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** In the order of the names, without links that lead nowhere or out of the root. */
  async *entries(path: FilePath): AsyncGenerator<RootedEntry> {
    let cursor: string | undefined;
    do {
      const terms = { path, recursive: false, maxDepth: 1, showHidden: true, cursor, limit: PAGE };
      const page = await this.#files.list(terms);
      for (const entry of page.entries) {
        const stats = entry.stats.isSymbolicLink() ? await this.#target(entry.path) : entry.stats;
        if (stats) yield { name: shownPath(entry.name), stats };
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  async #target(path: FilePath): Promise<BigIntStats | undefined> {
    try {
      return (await this.#files.stat(path, true)).stats;
    } catch (error) {
      if (error instanceof SandboxError) return undefined;
      throw error;
    }
  }

  /** Sends a file, or the part of it that the request asks for. */
  async send(path: FilePath, { req, res }: ProtocolCall, gone: AbortSignal): Promise<void> {
    using file = await this.#files.download(path, 'abort');
    const range = rangeOf(req.headers.range, file.size);
    if (range === 'unsatisfiable') {
      throw new Refused(416, `the file has ${file.size} bytes`, { 'content-range': `bytes */${file.size}` });
    }
    const { start, end } = range ?? { start: 0, end: file.size };
    const pieces = req.method === 'HEAD' ? [] : await file.read(start, end);
    res.writeHead(range ? 206 : 200, {
      'content-type': 'application/octet-stream',
      'content-length': end - start,
      'accept-ranges': 'bytes',
      'last-modified': file.modified.toUTCString(),
      ...(range && { 'content-range': `bytes ${start}-${end - 1}/${file.size}` }),
    });
    await pipeline(pieces, res, { signal: gone });
  }

  /** Replaces the file, so that a reader sees the old content or the new one. @param mode unset: that of the old file */
  async store(path: FilePath, content: AsyncIterable<Buffer>, mode?: number): Promise<void> {
    try {
      if ((await this.find(path))?.isDirectory()) throw new Refused(400, 'the path is a directory: name a file in it');
      await this.#files.mkdir(parentOf(path), true, {});
      await this.#files.uploadWhole(path, content, {}, { sync: true, ...(mode !== undefined && { mode }) });
    } catch (error) {
      if (error instanceof FileFailure && error.file.errorType === 'already_exists') {
        throw new Refused(400, 'a part of the path is not a directory: name another path');
      }
      throw error;
    }
  }

  /** The part `file` of a form. @throws Refused 400 */
  async takeForm(
    { req }: ProtocolCall,
    take: (name: string | undefined, content: Readable) => Promise<void>,
  ): Promise<void> {
    let isTaken = false;
    await readFormFiles(req, req.headers, { filesMax: PARTS_MAX }, async ({ field, name, content }) => {
      if (field !== 'file' || isTaken) {
        content.resume();
        return;
      }
      isTaken = true;
      await take(name, content);
    });
    if (!isTaken) throw new Refused(400, 'the form has no part named file');
  }

  async remove(path: FilePath, recursive: boolean): Promise<void> {
    try {
      await this.#files.delete(path, recursive);
    } catch (error) {
      if (isMissing(error)) throw new Refused(404, 'the path does not exist in the sandbox');
      if (error instanceof FileFailure && error.file.errnoName === 'ENOTEMPTY') {
        throw new Refused(409, 'the directory is not empty: pass recursive=true to remove what lies in it');
      }
      throw error;
    }
  }

  async clear(path: FilePath): Promise<void> {
    await this.#files.clear(path);
  }
}

/** Also for a path below a file. */
function isMissing(error: unknown): boolean {
  return error instanceof FileFailure && ['ENOENT', 'ENOTDIR'].includes(error.file.errnoName ?? '');
}
