import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { parentOf } from '../../core/files/file-path.ts';
import type { FilesPort } from '../../core/ports/files-port.ts';
import { readFormFiles } from '../../http/files/form-files.ts';
import { asPython } from './answers.ts';
import { ReadFileBody, readBody, WriteFileBody } from './bodies.ts';
import { decoded } from './text.ts';
import { zipAsTar } from './upload/zip-as-tar.ts';

/** Bytes of a file that is read into one answer. */
const READ_MAX = 64 * 1024 ** 2;

/** Files under paths of the client; relative ones begin at the home of the account. */
export class FileRoutes {
  readonly #files: FilesPort;
  readonly #home: () => string;

  constructor(files: FilesPort, home: () => string) {
    this.#files = files;
    this.#home = home;
  }

  async read(req: IncomingMessage): Promise<{ readonly content: string }> {
    const { path, encoding, errors } = await readBody(req, ReadFileBody);
    return await asPython(path, async () => {
      using file = await this.#files.download(this.#absolute(path), 'abort');
      if (file.size > READ_MAX) {
        throw new SandboxError('too_large', `the file has ${file.size} bytes: ${READ_MAX} are read at most`);
      }
      const bytes = await collected(await file.read(0, file.size));
      return { content: await decoded(bytes, encoding ?? 'utf-8', errors ?? 'strict') };
    });
  }

  async write(req: IncomingMessage): Promise<object> {
    const { path, content } = await readBody(req, WriteFileBody);
    const target = this.#absolute(path);
    await asPython(path, async () => {
      await this.#files.mkdir(parentOf(target), true, {});
      await this.#files.uploadWhole(target, Readable.from([Buffer.from(content)]), {});
    });
    return {};
  }

  /** The path comes after the file: the file is kept in a temporary place until then. A zip is taken whole or not at all. */
  async upload(req: IncomingMessage, gone: AbortSignal): Promise<object> {
    const kept = posix.join(tmpdir(), `.swe-rex-upload-${randomBytes(16).toString('hex')}`);
    const fields = new Map<string, string>();
    try {
      let isTaken = false;
      const terms = { filesMax: 1, field: (name: string, value: string) => void fields.set(name, value) };
      await readFormFiles(req, req.headers, terms, async ({ field, content }) => {
        isTaken = field === 'file';
        if (isTaken) await this.#files.uploadWhole(kept, content, {}, { mode: 0o600 });
        else content.resume();
      });
      const path = fields.get('target_path');
      if (!isTaken || !path || path.includes('\0')) {
        throw new SandboxError('unprocessable', 'file, target_path: the form needs both');
      }
      const isZip = ['true', '1', 'on', 'yes', 't', 'y'].includes((fields.get('unzip') ?? '').toLowerCase());
      await asPython(path, () => (isZip ? this.#unzip(kept, path) : this.#place(kept, path, gone)));
      return {};
    } finally {
      await this.#files.delete(kept, false).catch(() => undefined);
    }
  }

  async #place(kept: string, path: string, gone: AbortSignal): Promise<void> {
    const target = this.#absolute(path);
    await this.#files.mkdir(parentOf(target), true, {});
    using file = await this.#files.download(kept, 'abort');
    gone.throwIfAborted();
    const pieces = Readable.from(copied(await file.read(0, file.size)));
    await this.#files.uploadWhole(target, pieces, {}, { mode: 0o644 });
  }

  async #unzip(kept: string, path: string): Promise<void> {
    const target = this.#absolute(path);
    using file = await this.#files.download(kept, 'abort');
    const read = async (start: number, end: number): Promise<Buffer> =>
      collected(await file.read(Math.min(start, file.size), Math.min(end, file.size)));
    const tar = zipAsTar(read, file.size);
    await this.#files.importTree(target, tar, { keepOwners: false, length: 0 }, {});
  }

  #absolute(path: string): string {
    return posix.resolve(this.#home(), path);
  }
}

/** A write transfers the memory of its pieces, which a read may use again. */
async function* copied(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

async function collected(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of copied(pieces)) all.push(piece);
  return Buffer.concat(all);
}
