import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Credentials } from '../access/credentials.ts';
import { type E2bCall, sendJson, sendText } from '../call.ts';
import { envdVersion } from '../envd-version.ts';
import type { Sandboxes, SandboxRecord } from '../state/sandboxes.ts';
import { ConnectBody, CreateBody, RefreshBody, readBody, TimeoutBody } from './bodies.ts';
import { type ListedSandbox, listSandboxes } from './list.ts';
import type { Machine } from './machine-figures.ts';

const MIB = 1024 ** 2;
/** Seconds by which the clock of a client may be behind. */
const RANGE_SLACK_SECONDS = 10;

/** What E2B's cloud has and one machine has not; its values are fields of a create. */
const NOT_SERVED: Readonly<Record<string, string>> = {
  autoPause: 'pausing needs checkpoints, which this service does not have yet: leave autoPause out',
  network: 'network rules are not served: set them where the container runs',
  volumeMounts: 'volumes are not served: mount them where the container runs',
  mcp: 'the MCP gateway of E2B is not served: this service has an MCP server at /mcp',
  iam: 'workload identity is not served',
};

const ROUTE =
  /^(?:\/v[23])?\/(sandboxes|templates|volumes|secrets|snapshots|default-templates)(?:\/([^/]+))?(?:\/([^/]+))?$/;

interface ControlTerms {
  readonly end: (sandbox: SandboxRecord) => Promise<void>;
  /** Whether previews of every port need a credential. */
  readonly areAllPortsPrivate: () => boolean;
}

/** The part of E2B's control plane that an SDK calls. */
export class ControlPlane {
  readonly #sandboxes: Sandboxes;
  readonly #credentials: Credentials;
  readonly #machine: Machine;
  readonly #end: (sandbox: SandboxRecord) => Promise<void>;
  readonly #areAllPortsPrivate: () => boolean;

  constructor(
    sandboxes: Sandboxes,
    credentials: Credentials,
    machine: Machine,
    { end, areAllPortsPrivate }: ControlTerms,
  ) {
    this.#areAllPortsPrivate = areAllPortsPrivate;
    this.#sandboxes = sandboxes;
    this.#credentials = credentials;
    this.#machine = machine;
    this.#end = end;
  }

  async serve(call: E2bCall): Promise<void> {
    const { req, res } = call;
    const [, kind, id, verb] = ROUTE.exec(call.path) ?? [];
    if (kind === undefined) throw new SandboxError('not_found', `no such route: ${req.method} ${call.path}`);
    if (kind !== 'sandboxes') throw notServed(`${kind} of E2B are not served: this service is one sandbox`);
    if (id === undefined) {
      if (req.method === 'POST') return await this.#create(call);
      if (req.method === 'GET') return listSandboxes(call, await this.#listed());
    } else if (id === 'metrics' && req.method === 'GET') {
      return sendJson(res, 200, { sandboxes: await this.#latestMetrics(call) });
    } else return await this.#serveOne(call, decoded(id), verb);
    throw new SandboxError('not_found', `no such route: ${req.method} ${call.path}`);
  }

  async #serveOne(call: E2bCall, id: string, verb: string | undefined): Promise<void> {
    const { req, res } = call;
    const sandbox = this.#sandboxes.get(id);
    switch (`${req.method} ${verb ?? ''}`.trim()) {
      case 'GET':
        return sendJson(res, 200, {
          ...(await this.#listedOf(sandbox)),
          ...this.#credentials.giveTokens(id, call.keyId),
        });
      case 'DELETE':
        await this.#end(sandbox);
        return sendText(res, 204, '');
      case 'POST timeout':
        this.#sandboxes.setTimeout(id, (await readBody(req, TimeoutBody)).timeout);
        return sendText(res, 204, '');
      case 'POST refreshes': {
        const { duration } = await readBody(req, RefreshBody);
        this.#sandboxes.setTimeout(id, duration, { isExtension: true });
        return sendText(res, 204, '');
      }
      case 'POST connect':
      case 'POST resume': {
        const { timeout } = await readBody(req, ConnectBody);
        return sendJson(res, 200, this.#created(this.#sandboxes.setTimeout(id, timeout, { isExtension: true }), call));
      }
      case 'GET metrics':
        return sendJson(res, 200, isNowWanted(call.query) ? [await this.#metrics()] : []);
      case 'POST pause':
      case 'POST fork':
      case 'POST snapshots':
        throw notServed(`${verb} needs checkpoints, which this service does not have yet`);
      case 'PUT network':
        throw notServed(NOT_SERVED['network'] ?? '');
      case 'GET logs':
        throw notServed('logs are those of the container');
      default:
        throw new SandboxError('not_found', `no such route: ${req.method} ${call.path}`);
    }
  }

  async #create(call: E2bCall): Promise<void> {
    const body = await readBody(call.req, CreateBody);
    for (const [field, message] of Object.entries(NOT_SERVED)) {
      if (isAsked(body[field]) && !(field === 'network' && this.#isPrivate(body[field]))) throw notServed(message);
    }
    if (body['allow_internet_access'] === false || body['allowInternetAccess'] === false) {
      throw notServed(NOT_SERVED['network'] ?? '');
    }
    const key = call.req.headers['idempotency-key'];
    const sandbox = this.#sandboxes.create({
      template: body.templateID,
      metadata: body.metadata ?? {},
      envVars: body.envVars ?? {},
      timeoutSeconds: body.timeout,
      idempotencyKey: typeof key === 'string' ? key : null,
    });
    sendJson(call.res, 201, this.#created(sandbox, call));
  }

  /** The rule that holds here for every port: its traffic needs a credential. */
  #isPrivate(network: unknown): boolean {
    const { allowPublicTraffic, ...rules } = network as Record<string, unknown>;
    return this.#areAllPortsPrivate() && allowPublicTraffic === false && !Object.values(rules).some(isAsked);
  }

  #created(sandbox: SandboxRecord, { keyId }: Pick<E2bCall, 'keyId'>): object {
    return {
      templateID: sandbox.template,
      sandboxID: sandbox.id,
      clientID: 'sandbox',
      envdVersion: envdVersion(),
      ...this.#credentials.giveTokens(sandbox.id, keyId),
      domain: null,
    };
  }

  async #listed(): Promise<ListedSandbox[]> {
    return await Promise.all(this.#sandboxes.list().map((sandbox) => this.#listedOf(sandbox)));
  }

  async #metrics(): Promise<object> {
    const { cpuCount, cpuUsedPct, memTotal, memUsed, memCache, diskUsed, diskTotal } = await this.#machine.look();
    const now = new Date();
    return {
      timestamp: now.toISOString(),
      timestampUnix: Math.floor(now.getTime() / 1000),
      cpuCount,
      cpuUsedPct,
      memTotal,
      memUsed,
      memCache,
      diskUsed,
      diskTotal,
    };
  }

  async #latestMetrics({ query }: E2bCall): Promise<Record<string, object>> {
    const asked = query.getAll('sandbox_ids').flatMap((ids) => ids.split(','));
    const known = this.#sandboxes.list().filter(({ id }) => asked.length === 0 || asked.includes(id));
    const metrics = await this.#metrics();
    return Object.fromEntries(known.map(({ id }) => [id, metrics]));
  }

  async #listedOf(sandbox: SandboxRecord) {
    const { cpuCount, memTotal, diskTotal } = await this.#machine.look();
    return {
      templateID: sandbox.template,
      alias: sandbox.template,
      sandboxID: sandbox.id,
      clientID: 'sandbox',
      startedAt: sandbox.startedAt,
      endAt: this.#sandboxes.endOf(sandbox).toISOString(),
      cpuCount,
      memoryMB: Math.floor(memTotal / MIB),
      diskSizeMB: Math.floor(diskTotal / MIB),
      metadata: sandbox.metadata,
      state: 'running' as const,
      envdVersion: envdVersion(),
    };
  }
}

function isAsked(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** Whether a range of seconds since 1970 includes this moment: figures of the past are not kept. */
function isNowWanted(query: URLSearchParams): boolean {
  const bound = (name: string, fallback: number) => (query.has(name) ? Number(query.get(name)) : fallback);
  const now = Math.floor(Date.now() / 1000);
  return bound('start', 0) <= now && bound('end', now) >= now - RANGE_SLACK_SECONDS;
}

function notServed(message: string): SandboxError {
  return new SandboxError('unsupported', message);
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
