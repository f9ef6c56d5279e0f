import { pollUntil } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { apply, get, kubectl, refusal } from './kubectl.ts';
import { type Reached, reach } from './reach.ts';

export const READY_MS = 120_000;
export const KEY = 'key-of-the-kubernetes-tests';

interface ContainerState {
  readonly terminated?: { readonly exitCode: number; readonly reason: string };
  readonly waiting?: { readonly reason: string; readonly message?: string };
}

interface PodStatus {
  readonly phase: string;
  readonly qosClass?: string;
  readonly podIP?: string;
  readonly containerStatuses?: readonly {
    readonly ready: boolean;
    readonly restartCount: number;
    readonly state: ContainerState;
    readonly lastState: ContainerState;
  }[];
}

export interface PodObject {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly hostname?: string };
  readonly status: PodStatus;
}

/** What a call of the service answered. */
interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface CallTerms {
  readonly method?: string;
  readonly body?: object | string | Uint8Array | undefined;
  /** Null: without one. */
  readonly key?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly port?: number;
  readonly ms?: number;
}

/** A pod with the service, which ends with the test. */
export class SandboxPod implements AsyncDisposable {
  readonly namespace: string;
  readonly name: string;
  /** Its address in the cluster if it is known: else it is asked for. */
  readonly #podIp: string | undefined;
  readonly #reached = new Map<number, Reached>();

  constructor(namespace: string, name: string, podIp?: string) {
    this.namespace = namespace;
    this.name = name;
    this.#podIp = podIp;
  }

  async object(): Promise<PodObject> {
    return await get<PodObject>(this.namespace, 'pod', this.name);
  }

  async restarts(): Promise<number> {
    return (await this.object()).status.containerStatuses?.[0]?.restartCount ?? 0;
  }

  /** @throws Error with what the cluster and the container say */
  async ready(ms = READY_MS): Promise<void> {
    const isReady = async (): Promise<boolean> => {
      const { phase, containerStatuses: [container] = [] } = (await this.object()).status;
      if (phase === 'Failed' || phase === 'Succeeded') throw new Error(`the pod has ended:\n${await this.log()}`);
      return container?.ready ?? false;
    };
    if ((await pollUntil(isReady, { everyMs: 200, ms })) === 'settled') return;
    const { status } = await this.object();
    throw new Error(`the pod is not ready: ${JSON.stringify(status)}\n${await this.log()}\n${await this.events()}`);
  }

  /** Host and port. */
  async address(port: number): Promise<string> {
    return (await this.#reach(port)).address;
  }

  async call(path: string, { method, body, key = KEY, headers = {}, port = 8080, ms = 60_000 }: CallTerms = {}) {
    const address = await this.address(port);
    const isJson = typeof body === 'object' && !(body instanceof Uint8Array);
    const answer = await fetch(`http://${address}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(isJson && { 'content-type': 'application/json' }),
        ...(key !== null && { 'x-api-key': key }),
        ...headers,
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as string) }),
      signal: AbortSignal.timeout(ms),
    });
    return { status: answer.status, body: await answer.text() } satisfies Answer;
  }

  /** The standard output of a command; with its errors if it fails. */
  async run(command: string, { key, user, ms }: { key?: string; user?: string; ms?: number } = {}): Promise<string> {
    const answer = await this.call('/v2/commands', { body: { command, ...(user && { user }) }, key, ms: ms ?? 60_000 });
    if (answer.status !== 200) throw new Error(`${command}: ${answer.status} ${answer.body.slice(0, 500)}`);
    const { stdout, stderr } = (JSON.parse(answer.body) as { data: { stdout: string; stderr: string } }).data;
    return stdout + stderr;
  }

  /** Signals the programs whose command line matches, as root of the container, which may end with them. */
  async kill(pattern: string, signal = 'KILL'): Promise<void> {
    const script = `kill -${signal} $(pgrep -f '${pattern}')`;
    await kubectl(['-n', this.namespace, 'exec', this.name, '--', 'sh', '-c', script]).catch(ignore);
  }

  /** Waits until the container has been started again. @throws Error if it is not in time */
  async restarted(): Promise<void> {
    const isNew = async (): Promise<boolean> => (await this.restarts()) > 0;
    if ((await pollUntil(isNew, { everyMs: 200, ms: READY_MS })) !== 'settled') {
      throw new Error(`the container was not restarted:\n${await this.log()}`);
    }
  }

  /** What the container printed; of the one before it with `previous`. */
  async log(previous = false): Promise<string> {
    const args = ['-n', this.namespace, 'logs', this.name, '--tail=60', ...(previous ? ['--previous'] : [])];
    return await kubectl(args).catch(String);
  }

  async events(): Promise<string> {
    const of = ['--field-selector', `involvedObject.name=${this.name}`];
    return await kubectl(['-n', this.namespace, 'get', 'events', ...of]).catch(String);
  }

  /** Removes the pod. */
  async remove(...options: readonly string[]): Promise<void> {
    for (const reached of this.#reached.values()) reached[Symbol.dispose]();
    this.#reached.clear();
    await kubectl(['-n', this.namespace, 'delete', 'pod', this.name, '--ignore-not-found', ...options]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove('--force', '--grace-period=0');
  }

  async #reach(port: number): Promise<Reached> {
    const known = this.#reached.get(port);
    if (known?.isOpen) return known;
    const address = this.#podIp ?? (await this.object()).status.podIP;
    const reached = await reach({ namespace: this.namespace, pod: this.name, address, port });
    this.#reached.set(port, reached);
    return reached;
  }
}

/** A namespace that ends with the test, with the key that `podOf` mounts. */
export class Namespace implements AsyncDisposable {
  readonly name: string;

  private constructor(name: string) {
    this.name = name;
  }

  static async make(name: string, labels: Readonly<Record<string, string>> = {}): Promise<Namespace> {
    await kubectl(['delete', 'namespace', name, '--ignore-not-found', '--wait=true']);
    await kubectl(
      ['create', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }),
    );
    const hasAccount = async (): Promise<boolean> =>
      (await refusal(['-n', name, 'get', 'serviceaccount', 'default'])) === undefined;
    await pollUntil(hasAccount, { everyMs: 200, ms: READY_MS });
    await apply(name, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'sandbox-key' },
      stringData: { 'api-key': KEY },
    });
    return new Namespace(name);
  }

  /** Creates a pod and waits until it is ready. */
  async start(pod: { readonly metadata: { readonly name: string } }): Promise<SandboxPod> {
    const started = await this.create(pod);
    try {
      await started.ready();
      return started;
    } catch (error) {
      await started[Symbol.asyncDispose]();
      throw error;
    }
  }

  async create(pod: { readonly metadata: { readonly name: string } }): Promise<SandboxPod> {
    await apply(this.name, pod);
    return new SandboxPod(this.name, pod.metadata.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = ['delete', 'pods', '--all', '--force', '--grace-period=0', '--wait=false'];
    await kubectl(['-n', this.name, ...all]);
    await kubectl(['delete', 'namespace', this.name, '--wait=true', '--timeout=120s']);
  }
}
