import type { OptionValues } from '@sandbox/program/options.ts';
import type { FilesPort } from '../../core/ports/files-port.ts';
import type { ProtocolCall, ProtocolService } from '../../http/protocols/protocol.ts';
import type { ProtocolCore } from '../../protocol.ts';
import { errorBody, Refused, sendFailure, sendJson } from './answers.ts';
import { FileRoutes } from './file-routes.ts';
import { metadataOf } from './metadata.ts';
import type { SandboxdOptions } from './options.ts';
import { Root } from './root.ts';
import { RootedFiles } from './rooted-files.ts';

const FILES = '/v1/files/';

/** The runtime API of agent-sandbox over the files of this sandbox. */
export class SandboxdService implements ProtocolService {
  readonly #core: ProtocolCore;
  readonly #files: FileRoutes;
  #isClosing = false;

  constructor(core: ProtocolCore, { sandboxdRoot }: OptionValues<typeof SandboxdOptions>, files: FilesPort) {
    this.#core = core;
    const root = new Root(sandboxdRoot, core.config.defaultUser, core.platform);
    this.#files = new FileRoutes(root, new RootedFiles(files));
  }

  async serve(call: ProtocolCall): Promise<void> {
    const { res, target } = call;
    const gone = new AbortController();
    res.once('close', () => {
      if (!res.writableFinished) gone.abort();
    });
    try {
      const at = target.indexOf('?');
      const path = at < 0 ? target : target.slice(0, at);
      await this.#dispatch(call, path, new URLSearchParams(at < 0 ? '' : target.slice(at)), gone.signal);
    } catch (error) {
      if (gone.signal.aborted) res.destroy();
      else sendFailure(res, error);
    }
  }

  async #dispatch(call: ProtocolCall, path: string, query: URLSearchParams, gone: AbortSignal): Promise<void> {
    if (path === '/v1/files' || path.startsWith(FILES)) {
      this.#core.activity.note('file');
      await this.#files.serve(call, path.slice(FILES.length), query, gone);
      return;
    }
    const { req, res } = call;
    const isKnown = path === '/v1/health' || path === '/v1/metadata';
    if (!isKnown) throw new Refused(404, `no such route: ${req.method} ${path}`);
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw new Refused(405, `${req.method} is not allowed here: use GET`, { allow: 'GET, HEAD' });
    }
    if (path === '/v1/metadata')
      sendJson(res, 200, JSON.stringify({ env: metadataOf(this.#core.environment.current()) }));
    else if (this.#isClosing) sendJson(res, 503, errorBody(503, 'the service is stopping'));
    else sendJson(res, 200, JSON.stringify({ status: 'ok', uptime_seconds: Math.floor(process.uptime()) }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
  }
}
