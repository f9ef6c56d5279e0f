import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { OptionValues } from '@sandbox/program/options.ts';
import type { CommandsPort } from '../../core/ports/commands-port.ts';
import type { FilesPort } from '../../core/ports/files-port.ts';
import type { NetworkPortsPort } from '../../core/ports/network-ports-port.ts';
import type { TerminalsPort } from '../../core/ports/terminals-port.ts';
import type { ProtocolCall, ProtocolService } from '../../http/protocols/protocol.ts';
import type { ProtocolCore } from '../../protocol.ts';
import { Refused, sendFailure, sendJson } from './answers.ts';
import { readBody, SESSION_ID, SessionBody } from './bodies.ts';
import type { CloudflareCall } from './call.ts';
import { exec } from './exec.ts';
import { FileRoutes } from './file-routes.ts';
import type { CloudflareOptions } from './options.ts';
import { Programs } from './programs.ts';
import { pty } from './pty.ts';
import { type SandboxRecord, type SessionRecord, State } from './state.ts';
import { openTunnel, requirePort } from './tunnel.ts';
import { Workspace } from './workspace.ts';

const SANDBOXES = '/v1/sandbox';
const SANDBOX_ID = /^[a-z0-9-]{1,128}$/;

interface CloudflarePorts {
  readonly commands: CommandsPort;
  readonly files: FilesPort;
  readonly networkPorts: NetworkPortsPort;
  readonly terminals: TerminalsPort;
}

type Handler = (call: CloudflareCall) => Promise<void>;

/** Cloudflare's sandbox bridge over the services of this sandbox. */
export class CloudflareService implements ProtocolService {
  readonly #core: ProtocolCore;
  readonly #ports: CloudflarePorts;
  readonly #state: State;
  readonly #programs: Programs;
  readonly #workspace: Workspace;
  readonly #routes: Readonly<Record<string, Handler>>;
  readonly #orphans: Promise<void>;

  constructor(
    core: ProtocolCore,
    { cloudflareRoot }: OptionValues<typeof CloudflareOptions>,
    ports: CloudflarePorts,
    directory: string,
  ) {
    const { config, logger, platform, runtime } = core;
    this.#core = core;
    this.#ports = ports;
    const state = new State(directory, runtime.space, config);
    const programs = new Programs(ports, state);
    const workspace = new Workspace({ given: cloudflareRoot, defaultUser: config.defaultUser, platform });
    const files = new FileRoutes(ports.files, workspace);
    this.#state = state;
    this.#programs = programs;
    this.#workspace = workspace;
    const unserved = async (): Promise<void> => {
      throw new Refused(501, 'buckets are not mounted: mount a volume into the container instead');
    };
    this.#routes = {
      'POST exec': (call) => exec(call, programs, workspace),
      'GET file': (call) => files.read(call),
      'PUT file': (call) => files.write(call),
      'POST persist': (call) => files.persist(call),
      'POST hydrate': (call) => files.hydrate(call),
      'GET pty': (call) => pty(call, { programs, state, workspace }),
      'POST session': (call) => this.#createSession(call),
      'DELETE session': (call) => this.#deleteSession(call),
      'POST tunnel': (call) => openTunnel(call, ports.networkPorts),
      'DELETE tunnel': async ({ rest, res }) => {
        requirePort(rest, ports.networkPorts);
        res.writeHead(204).end();
      },
      'POST mount': unserved,
      'POST unmount': unserved,
    };
    this.#orphans = programs
      .endOrphans()
      .catch((error: unknown) => logger.error({ err: error }, 'what deleted sandboxes have left could not be ended'));
  }

  async serve(call: ProtocolCall): Promise<void> {
    const { res, target, requestId: reqId } = call;
    const gone = new AbortController();
    res.once('close', () => {
      if (!res.writableFinished) gone.abort();
    });
    try {
      const at = target.indexOf('?');
      const path = at < 0 ? target : target.slice(0, at);
      await this.#dispatch(call, path, new URLSearchParams(at < 0 ? '' : target.slice(at)), gone.signal);
    } catch (error) {
      const status = gone.signal.aborted ? undefined : sendFailure(res, error);
      if (status === undefined) res.destroy();
      if (status === 500) this.#core.logger.error({ err: error, reqId }, 'unexpected error of the system');
    }
  }

  async #dispatch(call: ProtocolCall, path: string, query: URLSearchParams, gone: AbortSignal): Promise<void> {
    const { req, res } = call;
    const route = `${req.method} ${path}`;
    if (route === 'GET /health') return sendJson(res, { ok: true });
    if (route === `POST ${SANDBOXES}`) return sendJson(res, { id: this.#state.create().id });
    if (path.startsWith('/v1/pool/')) throw new Refused(501, 'there is no pool of containers: this is one sandbox');
    const [id, ...rest] = path.startsWith(`${SANDBOXES}/`) ? path.slice(SANDBOXES.length + 1).split('/') : [];
    if (id === undefined) throw new Refused(404, `no such route: ${route}`);
    if (!SANDBOX_ID.test(id)) throw new Refused(400, 'Invalid sandbox ID format');
    if (rest.length === 0 && req.method === 'DELETE') return await this.#delete(call, id);
    if (rest[0] === 'running' && req.method === 'GET') return sendJson(res, { running: this.#known(id).isAlive });
    const handler = this.#routes[`${req.method} ${rest[0]}`];
    if (!handler) throw new Refused(404, `no such route: ${route}`);
    const sandbox = this.#state.enter(id);
    this.#core.activity.note('file');
    await handler({ ...call, sandbox, session: this.#sessionOf(call, sandbox, query), rest, query, gone });
  }

  #known(id: string): SandboxRecord {
    const known = this.#state.find(id);
    if (known) return known;
    throw new Refused(404, `sandbox ${id} was not found: create one by POST ${SANDBOXES}`);
  }

  /** By the header, else by the parameter. */
  #sessionOf({ req }: ProtocolCall, sandbox: SandboxRecord, query: URLSearchParams): SessionRecord | undefined {
    const id = [req.headers['session-id']].flat()[0] || query.get('session');
    if (!id) return undefined;
    if (!SESSION_ID.test(id)) throw new Refused(400, 'Invalid session ID format');
    return this.#state.session(sandbox.id, id);
  }

  async #createSession({ req, res, sandbox }: CloudflareCall): Promise<void> {
    const { id, cwd, env } = await readBody(req, SessionBody);
    const session = {
      id: id ?? `session-${randomBytes(12).toString('hex')}`,
      sandboxId: sandbox.id,
      cwd: cwd === undefined || cwd === null ? null : await this.#workspace.directory(cwd),
      env: env ?? {},
      directory: join(tmpdir(), `.sandbox-session-${randomBytes(16).toString('hex')}`),
      terminalId: null,
    };
    this.#state.addSession(session, sandbox);
    sendJson(res, { id: session.id });
  }

  async #deleteSession({ res, rest, sandbox }: CloudflareCall): Promise<void> {
    const session = this.#state.session(sandbox.id, rest[1] ?? '');
    this.#state.removeSession(session);
    await this.#programs.endSession(session);
    await this.#forget(session);
    sendJson(res, { success: true, sessionId: session.id, timestamp: new Date().toISOString() });
  }

  /** Ends what was started with the id; files stay. */
  async #delete({ res }: ProtocolCall, id: string): Promise<void> {
    const sandbox = this.#known(id);
    const sessions = this.#state.sessionsOf(id);
    if (sandbox.isAlive) {
      // First of all nothing more is started with its id.
      this.#state.end(id);
      await this.#programs.endSandbox(sandbox);
      for (const session of sessions) await this.#forget(session);
    }
    res.writeHead(204).end();
    const { config, logger, stop } = this.#core;
    if (!sandbox.isAlive || !config.protocolShutdown || this.#state.hasAlive) return;
    logger.warn({ sandbox: id }, 'the last sandbox has ended: the service stops');
    stop();
  }

  /** Removes what its commands have kept; a program that is still ending may have more. */
  async #forget({ directory }: SessionRecord): Promise<void> {
    await this.#ports.files.delete(directory, true).catch((error: unknown) => {
      if (!(error instanceof SandboxError)) throw error;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#orphans;
  }
}
