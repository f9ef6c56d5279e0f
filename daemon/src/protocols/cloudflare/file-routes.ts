import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FileFailure } from '../../core/files/file-failure.ts';
import { type FilePath, parentOf, pathOfEncoded, shownPath } from '../../core/files/file-path.ts';
import type { FilesPort } from '../../core/ports/files-port.ts';
import { Refused, sendJson } from './answers.ts';
import type { CloudflareCall } from './call.ts';
import type { Workspace } from './workspace.ts';

/**
 * Of the display of this machine, in the home: they are of no use on another one, and a link of a running browser leads
 * out of the workspace, for which clients refuse the whole archive.
 */
const NOT_KEPT = ['./.Xauthority', './.config/sandbox-browser'];
const BYTES = { 'content-type': 'application/octet-stream' };

/** Files below the workspace, and the whole of it as a tar archive. */
export class FileRoutes {
  readonly #files: FilesPort;
  readonly #workspace: Workspace;

  constructor(files: FilesPort, workspace: Workspace) {
    this.#files = files;
    this.#workspace = workspace;
  }

  async read({ rest, res, gone }: CloudflareCall): Promise<void> {
    await this.#workspace.enter(pathOf(rest), async (path) => {
      using file = await this.#files.download(path, 'abort').catch((error: unknown) => {
        throw isMissing(error) ? missing(pathOf(rest)) : error;
      });
      const pieces = await file.read(0, file.size);
      res.writeHead(200, { ...BYTES, 'content-length': file.size });
      await pipeline(pieces, res, { signal: gone });
    });
  }

  async write({ rest, req, res }: CloudflareCall): Promise<void> {
    await this.#workspace.enter(pathOf(rest), async (path) => {
      await this.#files.mkdir(parentOf(path), true, {});
      await this.#files.uploadWhole(path, req, {}, { sync: true });
    });
    sendJson(res, { ok: true });
  }

  async persist({ query, res, gone }: CloudflareCall): Promise<void> {
    const excluded = (query.get('excludes') ?? '').split(',').filter((one) => one !== '');
    if (excluded.some((one) => one.split('/').includes('..'))) {
      throw new Refused(400, 'exclude paths must not contain ".."');
    }
    await this.#workspace.enter('.', async (path) => {
      const pieces = await this.#files.exportTree(path, {
        exclude: [...excluded.map((one) => `./${one}`), ...NOT_KEPT],
        gzip: false,
      });
      res.writeHead(200, BYTES);
      await pipeline(Readable.from(pieces), res, { signal: gone });
    });
  }

  /** All of an archive, or nothing of it. */
  async hydrate({ req, res }: CloudflareCall): Promise<void> {
    const length = Number(req.headers['content-length'] ?? 0);
    if (length === 0 && req.headers['transfer-encoding'] === undefined) throw new Refused(400, 'Empty tar payload');
    await this.#workspace.enter('.', (path) => this.#files.importTree(path, req, { keepOwners: false, length }, {}));
    sendJson(res, { ok: true });
  }
}

function pathOf(rest: readonly string[]): FilePath {
  const encoded = rest.slice(1).join('/');
  if (encoded === '') throw new Refused(400, 'file path must not be empty');
  const decoded = pathOfEncoded(encoded);
  return typeof decoded === 'string' ? `/${decoded}` : Buffer.concat([Buffer.from('/'), decoded]);
}

function missing(path: FilePath): Refused {
  return new Refused(404, `File not found: ${shownPath(path)}`, 'workspace_read_not_found');
}

/** Also for a path below a file. */
function isMissing(error: unknown): boolean {
  return error instanceof FileFailure && ['ENOENT', 'ENOTDIR'].includes(error.file.errnoName ?? '');
}
