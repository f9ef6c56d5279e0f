import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Code, ConnectError } from '@connectrpc/connect';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Credential, OwnAdmission } from '../../core/access/credential.ts';
import { type AccessTerms, validKeysOf } from '../../core/access/late-binding.ts';
import type { CodePort } from '../../core/ports/code-port.ts';
import type { CommandsPort } from '../../core/ports/commands-port.ts';
import type { FilesPort } from '../../core/ports/files-port.ts';
import type { TerminalsPort } from '../../core/ports/terminals-port.ts';
import type { WatchPort } from '../../core/ports/watch-port.ts';
import type { ProtocolCall, ProtocolRequest, ProtocolService } from '../../http/protocols/protocol.ts';
import { RpcServer } from '../../http/rpc/rpc-server.ts';
import type { ProtocolCore } from '../../protocol.ts';
import { Credentials } from './access/credentials.ts';
import { type Addressed, addressOf } from './access/plane.ts';
import { Accounts } from './accounts.ts';
import { type E2bCall, sendFailure, sendText } from './call.ts';
import { ControlPlane } from './control/control-plane.ts';
import { Machine } from './control/machine-figures.ts';
import { EnvdRoutes } from './envd-routes.ts';
import { FileRoutes } from './files/file-routes.ts';
import { FilesystemService } from './files/filesystem-service.ts';
import { Watches } from './files/watches.ts';
import { Interpreter } from './interpreter/interpreter.ts';
import { ProcessService } from './process/process-service.ts';
import { Programs } from './process/programs.ts';
import { Sandboxes, type SandboxRecord, type SandboxTerms } from './state/sandboxes.ts';
import { Started } from './state/started.ts';
import { FilesystemApi } from './wire/filesystem.ts';
import { ProcessApi } from './wire/process.ts';

export interface E2bPorts {
  readonly commands: CommandsPort;
  readonly terminals: TerminalsPort;
  readonly files: FilesPort;
  readonly watch: WatchPort;
  readonly code: CodePort;
}

interface E2bTerms extends SandboxTerms {
  readonly e2bSignatureSeconds: number;
  readonly protocolShutdown: boolean;
}

/** E2B's control plane, envd and code interpreter over the services of this sandbox. */
export class E2bService implements ProtocolService {
  readonly #core: ProtocolCore;
  readonly #sandboxes: Sandboxes;
  readonly #credentials: Credentials;
  readonly #programs: Programs;
  readonly #rpc: RpcServer<E2bCall>;
  readonly #control: ControlPlane;
  readonly #envd: EnvdRoutes;
  readonly #interpreter: Interpreter;
  readonly #watches: Watches;
  readonly #stopsWithLast: boolean;
  readonly #closing = new AbortController();

  constructor(core: ProtocolCore, terms: E2bTerms, ports: E2bPorts, directory: string) {
    this.#core = core;
    this.#stopsWithLast = terms.protocolShutdown;
    const { space } = core.runtime;
    const { config, clock, environment, late, logger, platform } = core;
    const sandboxes = new Sandboxes(directory, { space, clock }, terms, (sandbox) => this.#endOverdue(sandbox));
    const init = () => sandboxes.init;
    const keys = () => validKeysOf(late.access());
    const needsKey = () => isClosed(late.access());
    const machine = new Machine();
    const accounts = new Accounts(config.defaultUser, platform, init);
    this.#sandboxes = sandboxes;
    this.#credentials = new Credentials({ sandboxes, keys, signatureSeconds: terms.e2bSignatureSeconds });
    this.#programs = new Programs(ports, new Started(directory, space), terms.protocolShared);
    const isAlive = (id: string): boolean => sandboxes.find(id) !== undefined;
    this.#report(this.#programs.endOrphans(isAlive), 'what ended sandboxes have left could not be ended');
    this.#watches = new Watches(ports.watch, () => accounts.namedUser);
    this.#rpc = new RpcServer(logger, this.#closing.signal);
    this.#rpc.add(ProcessApi, new ProcessService(this.#programs, accounts, { init, isAlive }).methods);
    this.#rpc.add(FilesystemApi, new FilesystemService(ports.files, accounts, this.#watches).methods);
    this.#control = new ControlPlane(sandboxes, this.#credentials, machine, {
      end: (sandbox) => this.#end(sandbox),
      areAllPortsPrivate: () => needsKey() && config.publicPorts.length === 0,
    });
    this.#interpreter = new Interpreter(ports.code, accounts, { init, isAlive, isShared: terms.protocolShared });
    this.#report(this.#interpreter.endOrphans(), 'contexts that ended sandboxes have left could not be ended');
    const files = new FileRoutes(ports.files, accounts);
    this.#envd = new EnvdRoutes({ files, machine, sandboxes, environment, hasKey: () => needsKey() });
  }

  admits(request: ProtocolRequest): OwnAdmission {
    const admission = this.#credentials.judge(request.req, addressOf(request));
    return admission === 'unknown' ? 'public' : admission;
  }

  admitsPreview(headers: IncomingHttpHeaders): Credential | undefined {
    return this.#credentials.opensPreview(headers);
  }

  async serve(request: ProtocolCall): Promise<void> {
    const { res } = request;
    const address = addressOf(request);
    const gone = new AbortController();
    res.once('close', () => {
      if (!res.writableFinished) gone.abort();
    });
    const { sandboxId } = address;
    const sandbox = sandboxId === undefined ? this.#sandboxes.only : this.#sandboxes.find(sandboxId);
    const call: E2bCall = { ...request, ...address, sandbox, gone: gone.signal };
    try {
      if (address.plane !== 'control' && sandboxId !== undefined && sandbox === undefined) {
        sendGone(res, sandboxId);
        return;
      }
      this.#requireAdmitted(request, address);
      await this.#dispatch(call);
    } catch (error) {
      const hasEnded = address.plane !== 'control' && sandbox && this.#sandboxes.find(sandbox.id) === undefined;
      if (gone.signal.aborted) res.destroy();
      else if (hasEnded && !res.headersSent) sendGone(res, sandbox.id);
      else sendFailure(res, error);
    }
  }

  /** Judged here too: the gate may have passed the request before a sandbox of that id was created. */
  #requireAdmitted({ req, byKey }: ProtocolCall, address: Addressed): void {
    if (!byKey && !this.#isAdmitted(req, address))
      throw new SandboxError('unauthorized', 'missing or wrong access token');
  }

  #isAdmitted(req: IncomingMessage, address: Addressed): boolean {
    if (!isClosed(this.#core.late.access())) return this.#credentials.meetsInit(req, address);
    const admission = this.#credentials.judge(req, address);
    return admission !== undefined && admission !== 'unknown';
  }

  async #dispatch(call: E2bCall): Promise<void> {
    if (call.plane === 'control') await this.#control.serve(call);
    else if (call.plane === 'interpreter') await this.#interpreter.serve(call);
    else if (this.#rpc.serve(call.req, call.res, call.path, call)) this.#core.activity.note('file');
    else await this.#envd.serve(call);
  }

  async #end(sandbox: SandboxRecord): Promise<void> {
    // First of all nothing more is started with its id.
    this.#sandboxes.remove(sandbox.id);
    await Promise.all([this.#programs.endAllOf(sandbox), this.#interpreter.endOrphans()]);
    if (!this.#stopsWithLast || this.#sandboxes.list().length > 0) return;
    this.#core.logger.warn({ sandbox: sandbox.id }, 'the last sandbox has ended: the service stops');
    this.#core.stop();
  }

  #endOverdue(sandbox: SandboxRecord): void {
    this.#report(this.#end(sandbox), `the sandbox ${sandbox.id} could not be ended at its timeout`);
  }

  #report(work: Promise<void>, failed: string): void {
    work.catch((error: unknown) => this.#core.logger.error({ err: error }, failed));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new ConnectError('the service is stopping', Code.Unavailable));
    this.#sandboxes[Symbol.dispose]();
    await this.#watches[Symbol.asyncDispose]();
  }
}

function isClosed({ apiKey, named }: AccessTerms): boolean {
  return apiKey !== undefined || named !== undefined;
}

/** Answers with the status and the words by which the clients recognise a sandbox that has ended. */
function sendGone(res: ServerResponse, sandboxId: string): void {
  sendText(res, 502, JSON.stringify({ sandboxId, message: `The sandbox ${sandboxId} was not found`, code: 502 }));
}
