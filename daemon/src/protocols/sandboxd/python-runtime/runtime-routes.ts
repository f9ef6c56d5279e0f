import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { pathOfEncoded } from '../../../core/files/file-path.ts';
import type { CommandsPort } from '../../../core/ports/commands-port.ts';
import { readJsonBody } from '../../../http/protocols/json-body.ts';
import { sendJsonPieces } from '../../../http/protocols/json-pieces.ts';
import type { ProtocolCall } from '../../../http/protocols/protocol.ts';
import { Refused, refusalOf, sendJson } from '../answers.ts';
import type { Root } from '../root.ts';
import type { RootedFiles } from '../rooted-files.ts';
import { execute, executeSeconds } from './execute.ts';

/** Bytes of the body of a command. */
const COMMAND_BYTES = 8 * 1024 ** 2;

const ExecuteBody = z.looseObject({ command: z.string() });

interface RuntimeTerms {
  readonly root: Root;
  readonly files: RootedFiles;
  readonly commands: CommandsPort;
  readonly environment: () => Readonly<Record<string, string | undefined>>;
}

type Handler = (call: ProtocolCall, encoded: string, gone: AbortSignal) => Promise<void>;

interface Route {
  readonly method: 'GET' | 'POST';
  readonly serve: Handler;
}

/** The runtime API that agent-sandbox had before sandboxd. */
export class RuntimeRoutes {
  readonly #terms: RuntimeTerms;
  readonly #routes: Readonly<Record<string, Route>>;

  constructor(terms: RuntimeTerms) {
    this.#terms = terms;
    this.#routes = {
      '': {
        method: 'GET',
        serve: async ({ res }) => send(res, 200, { status: 'ok', message: 'Sandbox Runtime is active.' }),
      },
      execute: { method: 'POST', serve: (call, _encoded, gone) => this.#execute(call, gone) },
      upload: { method: 'POST', serve: (call) => this.#upload(call) },
      download: { method: 'GET', serve: (call, encoded, gone) => this.#download(call, encoded, gone) },
      list: { method: 'GET', serve: (call, encoded) => this.#list(call, encoded) },
      exists: { method: 'GET', serve: (call, encoded) => this.#exists(call, encoded) },
    };
  }

  /** @param path below the prefix of this API, with a slash before it, as received and without query */
  async serve(call: ProtocolCall, path: string, gone: AbortSignal): Promise<void> {
    const [, name = '', encoded = ''] = /^\/([a-z]*)(?:\/(.*))?$/s.exec(path) ?? ['', '-'];
    const route = Object.hasOwn(this.#routes, name) ? this.#routes[name] : undefined;
    try {
      if (!route) throw new Refused(404, 'Not Found');
      const { req } = call;
      if (req.method !== route.method && !(req.method === 'HEAD' && route.method === 'GET')) {
        throw new Refused(405, 'Method Not Allowed', { allow: route.method });
      }
      await route.serve(call, encoded, gone);
    } catch (error) {
      if (gone.aborted) throw error;
      sendRefusal(call.res, refusalOf(error));
    }
  }

  async #execute(call: ProtocolCall, gone: AbortSignal): Promise<void> {
    const { root, commands, environment } = this.#terms;
    const { command } = await readJsonBody(call.req, ExecuteBody, {
      bytes: COMMAND_BYTES,
      mayBeEmpty: false,
      refusal: (fault) => new Refused(422, fault.field === undefined ? 'the body is not JSON' : faultOf(fault)),
    });
    const terms = { cwd: await root.directory(), seconds: executeSeconds(environment()) };
    await sendJsonPieces(call.res, 200, await execute(command, terms, commands, gone), gone);
  }

  /** The name of the file is its path below the root. */
  async #upload(call: ProtocolCall): Promise<void> {
    const { root, files } = this.#terms;
    let name = '';
    await files.takeForm(call, async (given = '', content) => {
      name = given;
      await root.enter(given, async ({ path, isRoot }) => {
        if (isRoot) throw new Refused(400, 'the file of the form has no name');
        await files.store(path, content);
      });
    });
    send(call.res, 200, { message: `File '${name}' uploaded successfully.` });
  }

  async #download(call: ProtocolCall, encoded: string, gone: AbortSignal): Promise<void> {
    const { root, files } = this.#terms;
    await root.enter(pathOfEncoded(encoded), async ({ path, shown }) => {
      if (!(await files.find(path))?.isFile()) throw new Refused(404, 'File not found');
      const name = encodeURIComponent(shown.slice(shown.lastIndexOf('/') + 1).toWellFormed());
      call.res.setHeader('content-disposition', `attachment; filename*=utf-8''${name}`);
      await files.send(path, call, gone);
    });
  }

  async #list({ res }: ProtocolCall, encoded: string): Promise<void> {
    const { root, files } = this.#terms;
    await root.enter(pathOfEncoded(encoded), async ({ path }) => {
      if (!(await files.find(path))?.isDirectory()) throw new Refused(404, 'Path is not a directory');
      const entries: object[] = [];
      for await (const { name, stats } of files.entries(path)) {
        const type = stats.isDirectory() ? 'directory' : 'file';
        entries.push({ name, size: Number(stats.size), type, mod_time: stats.mtime.getTime() / 1000 });
      }
      send(res, 200, entries);
    });
  }

  async #exists({ res }: ProtocolCall, encoded: string): Promise<void> {
    const { root, files } = this.#terms;
    await root.enter(pathOfEncoded(encoded), async ({ path, given }) => {
      send(res, 200, { path: given, exists: (await files.find(path)) !== undefined });
    });
  }
}

function faultOf({ field, message }: { readonly field: string; readonly message: string }): string {
  return `${field}: ${message}`;
}

function send(res: ServerResponse, status: number, body: object): void {
  sendJson(res, status, JSON.stringify(body));
}

/** The body of its framework for routes and fields, else that of its own errors. */
function sendRefusal(res: ServerResponse, { status, message, headers }: Refused): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res.removeHeader('content-disposition');
  const isOfFrame = status === 405 || status === 422 || message === 'Not Found';
  const body = isOfFrame ? { detail: message } : { message: status === 403 ? 'Access denied' : message };
  sendJson(res, status, JSON.stringify(body), headers);
}
