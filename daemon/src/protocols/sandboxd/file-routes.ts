import { once } from 'node:events';
import { pathOfEncoded } from '../../core/files/file-path.ts';
import type { ProtocolCall } from '../../http/protocols/protocol.ts';
import { Refused } from './answers.ts';
import type { Root, RootedPath } from './root.ts';
import type { RootedEntry, RootedFiles } from './rooted-files.ts';

const METHODS = 'GET, HEAD, PUT, DELETE';
/** What strconv.ParseBool of Go takes, in which the reference is written. */
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** `/v1/files/{path}` of sandboxd. */
export class FileRoutes {
  readonly #root: Root;
  readonly #files: RootedFiles;

  constructor(root: Root, files: RootedFiles) {
    this.#root = root;
    this.#files = files;
  }

  async serve(call: ProtocolCall, encoded: string, query: URLSearchParams, gone: AbortSignal): Promise<void> {
    const given = pathOfEncoded(encoded);
    switch (call.req.method) {
      case 'GET':
      case 'HEAD':
        return await this.#root.enter(given, (path) => this.#read(call, path, gone));
      case 'PUT': {
        const mode = modeOf(query.get('mode'));
        return await this.#root.enter(given, (path) => this.#write(call, path, mode));
      }
      case 'DELETE':
        return await this.#root.enter(given, (path) => this.#remove(call, path, query.get('recursive')));
      default:
        throw new Refused(405, `${call.req.method} is not allowed here: use ${METHODS}`, { allow: METHODS });
    }
  }

  async #read(call: ProtocolCall, { path, shown }: RootedPath, gone: AbortSignal): Promise<void> {
    const { req, res } = call;
    const stats = await this.#files.stat(path);
    if (!stats.isDirectory()) return await this.#files.send(path, call, gone);
    if (req.method === 'HEAD') {
      res.writeHead(200, { 'content-type': 'application/json' }).end();
      return;
    }
    // The first entry is read before the head is sent: what fails by then has a status.
    const entries = this.#files.entries(path);
    let next = await entries.next();
    res.writeHead(200, { 'content-type': 'application/json' });
    res.write(`{"path":${JSON.stringify(shown)},"entries":[`);
    for (let comma = ''; !next.done; next = await entries.next()) {
      if (!res.write(`${comma}${JSON.stringify(entryOf(next.value))}`)) await once(res, 'drain', { signal: gone });
      comma = ',';
    }
    res.end(']}');
  }

  async #write(call: ProtocolCall, { path, isRoot }: RootedPath, mode: number): Promise<void> {
    const { req, res } = call;
    if (isRoot) throw new Refused(400, 'the path is a directory: name a file in it');
    const type = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
    if (type === 'multipart/form-data') {
      await this.#files.takeForm(call, (_name, content) => this.#files.store(path, content, mode));
    } else {
      await this.#files.store(path, req, mode);
    }
    res.writeHead(204).end();
  }

  async #remove({ res }: ProtocolCall, { path, isRoot }: RootedPath, given: string | null): Promise<void> {
    // A path that does not exist is reported before a wrong parameter, as the reference does.
    if (!isRoot && !isBoolean(given)) await this.#files.stat(path);
    if (!isBoolean(given)) throw new Refused(400, `recursive is '${given}': use true or false`);
    const recursive = TRUE.has(given ?? '');
    if (!isRoot) await this.#files.remove(path, recursive);
    else if (recursive) await this.#files.clear(path);
    else throw new Refused(409, 'the root of the sandbox stays: pass recursive=true to remove what lies in it');
    res.writeHead(204).end();
  }
}

function isBoolean(given: string | null): boolean {
  return given === null || given === '' || TRUE.has(given) || FALSE.has(given);
}

function modeOf(given: string | null): number {
  if (given === null || given === '') return 0o644;
  if (!/^0[0-7]{3}$/.test(given)) throw new Refused(400, `mode is '${given}': use four octal digits, such as 0644`);
  return Number.parseInt(given, 8);
}

function entryOf({ name, stats }: RootedEntry): object {
  return {
    name,
    size: Number(stats.size),
    type: stats.isDirectory() ? 'directory' : 'file',
    modified_at: `${stats.mtime.toISOString().slice(0, 19)}Z`,
    mode: (Number(stats.mode) & 0o777).toString(8).padStart(4, '0'),
  };
}
