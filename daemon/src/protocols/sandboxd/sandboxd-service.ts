import { Code, ConnectError } from '@connectrpc/connect';
import type { OptionValues } from '@sandbox/program/options.ts';
import type { CommandsPort } from '../../core/ports/commands-port.ts';
import type { FilesPort } from '../../core/ports/files-port.ts';
import type { TerminalsPort } from '../../core/ports/terminals-port.ts';
import type { ProtocolCall, ProtocolService } from '../../http/protocols/protocol.ts';
import { RpcServer } from '../../http/rpc/rpc-server.ts';
import type { ProtocolCore } from '../../protocol.ts';
import { errorBody, Refused, sendFailure, sendJson } from './answers.ts';
import { FileRoutes } from './file-routes.ts';
import { metadataOf } from './metadata.ts';
import type { SandboxdOptions } from './options.ts';
import { healthMethods } from './process/health.ts';
import { ProcessService } from './process/process-service.ts';
import { HealthApi, ProcessApi } from './process/wire.ts';
import { RuntimeRoutes } from './python-runtime/runtime-routes.ts';
import { Root } from './root.ts';
import { RootedFiles } from './rooted-files.ts';

const FILES = '/v1/files/';
/** What the door of the older API puts before its paths. */
const OLDER = '/python-runtime';

interface SandboxdPorts {
  readonly commands: CommandsPort;
  readonly files: FilesPort;
  readonly terminals: TerminalsPort;
}

/** The runtime APIs of agent-sandbox over the files and commands of this sandbox. */
export class SandboxdService implements ProtocolService {
  readonly #core: ProtocolCore;
  readonly #files: FileRoutes;
  readonly #older: RuntimeRoutes;
  readonly #rpc: RpcServer<ProtocolCall>;
  readonly #closing = new AbortController();

  constructor(core: ProtocolCore, { sandboxdRoot }: OptionValues<typeof SandboxdOptions>, ports: SandboxdPorts) {
    this.#core = core;
    const root = new Root(sandboxdRoot, core.config.defaultUser, core.platform);
    const files = new RootedFiles(ports.files);
    this.#files = new FileRoutes(root, files);
    const { signal: closing } = this.#closing;
    this.#rpc = new RpcServer(core.logger, closing);
    const { commands, terminals } = ports;
    this.#rpc.add(ProcessApi, new ProcessService({ commands, terminals, root, files, closing }).methods);
    this.#rpc.add(HealthApi, healthMethods(closing));
    this.#rpc.addReflection();
    const environment = () => core.environment.current();
    this.#older = new RuntimeRoutes({ root, files, commands, environment });
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
    if (path === OLDER || path.startsWith(`${OLDER}/`)) {
      this.#core.activity.note('file');
      await this.#older.serve(call, path.slice(OLDER.length) || '/', gone);
      return;
    }
    const { req, res } = call;
    if (this.#rpc.serve(req, res, path, call)) {
      this.#core.activity.note('file');
      return;
    }
    const isKnown = path === '/v1/health' || path === '/v1/metadata';
    if (!isKnown) throw new Refused(404, `no such route: ${req.method} ${path}`);
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw new Refused(405, `${req.method} is not allowed here: use GET`, { allow: 'GET, HEAD' });
    }
    if (path === '/v1/metadata')
      sendJson(res, 200, JSON.stringify({ env: metadataOf(this.#core.environment.current()) }));
    else if (this.#closing.signal.aborted) sendJson(res, 503, errorBody(503, 'the service is stopping'));
    else sendJson(res, 200, JSON.stringify({ status: 'ok', uptime_seconds: Math.floor(process.uptime()) }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new ConnectError('the service is stopping', Code.Unavailable));
  }
}
