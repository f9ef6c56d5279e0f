import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { json, text } from 'node:stream/consumers';
import { kubectl } from './kubectl.ts';
import { type PodObject, SandboxPod } from './pod.ts';

export interface KeyPair {
  readonly privateKey: KeyObject;
  /** PEM. */
  readonly publicKey: string;
}

export function poolKeys(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKey, privateKey: createPrivateKey(privateKey) };
}

interface Statement {
  readonly podUid: string;
  readonly host: string;
  readonly body: string;
}

/** The statement of docs/sandbox.md that claims one pod for one body. */
export function signedClaim({ privateKey }: KeyPair, { podUid, host, body }: Statement): string {
  const now = Math.floor(Date.now() / 1000);
  const body_sha256 = createHash('sha256').update(body).digest('hex');
  const claims = { pod_uid: podUid, host, jti: randomUUID(), iat: now, exp: now + 30, body_sha256 };
  const text = [{ alg: 'EdDSA' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}

/** The API of the cluster by the certificates of KUBECONFIG: a watch is what a controller of a product uses. */
export class Api implements Disposable {
  readonly #agent: Agent;
  readonly #server: URL;

  private constructor(agent: Agent, server: URL) {
    this.#agent = agent;
    this.#server = server;
  }

  static async open(): Promise<Api> {
    const raw = await kubectl(['config', 'view', '--raw', '--minify', '-o', 'json']);
    const { clusters, users } = JSON.parse(raw) as {
      clusters: { cluster: Record<string, string> }[];
      users: { user: Record<string, string> }[];
    };
    const [cluster = {}, user = {}] = [clusters[0]?.cluster, users[0]?.user];
    const [ca, cert, key] = await Promise.all([
      bytesOf(cluster, 'certificate-authority'),
      bytesOf(user, 'client-certificate'),
      bytesOf(user, 'client-key'),
    ]);
    return new Api(new Agent({ ca, cert, key, keepAlive: true }), new URL(cluster['server'] ?? ''));
  }

  async create<T>(path: string, object: object): Promise<T> {
    const body = JSON.stringify(object);
    const answer = await this.#ask('POST', path, body);
    if (answer.statusCode !== 201) throw new Error(`POST ${path}: ${answer.statusCode} ${await text(answer)}`);
    return (await json(answer)) as T;
  }

  async get<T>(path: string): Promise<T> {
    return (await json(await this.#ask('GET', path))) as T;
  }

  /** The first state of an object for which a question is answered with a value. */
  async watch<T, R>(path: string, name: string, look: (object: T) => R | undefined): Promise<R> {
    const answer = await this.#ask('GET', `${path}?watch=1&fieldSelector=metadata.name%3D${name}&timeoutSeconds=120`);
    try {
      for await (const line of createInterface(answer)) {
        const found = look((JSON.parse(line) as { object: T }).object);
        if (found !== undefined) return found;
      }
    } finally {
      answer.destroy();
    }
    throw new Error(`${name} did not get there in 120 s: ${await kubectl(['describe', 'sandboxclaims', '-A'])}`);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #ask(method: string, path: string, body?: string) {
    const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
    const call = request(new URL(path, this.#server), {
      method,
      agent: this.#agent,
      headers: { 'content-type': 'application/json' },
    });
    call.once('response', resolve).once('error', reject).end(body);
    return await promise;
  }
}

async function bytesOf(of: Readonly<Record<string, string>>, name: string): Promise<Buffer | undefined> {
  const [data, path] = [of[`${name}-data`], of[name]];
  if (data !== undefined) return Buffer.from(data, 'base64');
  return path === undefined ? undefined : await readFile(path);
}

interface SandboxOfClaim {
  readonly name?: string;
  readonly podIPs?: readonly string[];
}

interface ClaimObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly sandbox?: SandboxOfClaim;
  };
}

export interface Claimed {
  /** The name of the SandboxClaim. */
  readonly name: string;
  readonly pod: SandboxPod;
  readonly key: string;
  /** Milliseconds from the call that created the claim: until it was ready, claimed by its key, and had run a command. */
  readonly readyMs: number;
  readonly claimedMs: number;
  readonly commandMs: number;
}

export interface ClaimTerms {
  readonly namespace: string;
  readonly pool: string;
  readonly keys: KeyPair;
}

/** What a product does for a user: takes a sandbox of the pool, gives it a key, runs a first command. */
export async function claimSandbox(api: Api, { namespace, pool, keys }: ClaimTerms): Promise<Claimed> {
  const [name, key] = [`claim-${randomUUID().slice(0, 8)}`, `key-${randomUUID()}`];
  const path = `/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/${namespace}/sandboxclaims`;
  const began = performance.now();
  await api.create(path, {
    apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
    kind: 'SandboxClaim',
    metadata: { name },
    spec: { warmPoolRef: { name: pool } },
  });
  const { name: sandbox = '', podIPs } = await api.watch<ClaimObject, SandboxOfClaim>(path, name, ({ status }) => {
    const isReady = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True');
    return isReady && status?.sandbox?.podIPs?.length ? status.sandbox : undefined;
  });
  const readyMs = performance.now() - began;
  const pod = new SandboxPod(namespace, sandbox, podIPs?.[0]);
  const object = await api.get<PodObject>(`/api/v1/namespaces/${namespace}/pods/${sandbox}`);
  const answer = await bindKey(pod, keys, key, object);
  if (answer.status !== 200) throw new Error(`the claim of ${sandbox}: ${answer.status} ${answer.body}`);
  const claimedMs = performance.now() - began;
  const said = await pod.run('echo first', { key });
  if (said !== 'first\n') throw new Error(`the first command printed ${said}`);
  return { name, pod, key, readyMs, claimedMs, commandMs: performance.now() - began };
}

/** Gives a waiting sandbox its key, by a signed statement. */
export async function bindKey(pod: SandboxPod, keys: KeyPair, key: string, object?: PodObject) {
  const { metadata, spec } = object ?? (await pod.object());
  const body = JSON.stringify({ api_key: key });
  const statement = signedClaim(keys, { podUid: metadata.uid, host: spec.hostname ?? pod.name, body });
  return await pod.call('/v2/sandbox/claim', {
    method: 'POST',
    body,
    key: null,
    headers: { authorization: `Bearer ${statement}`, 'content-type': 'application/json' },
  });
}

/** Claims of which the median is taken. */
export const CLAIMS = Number(process.env['TEST_CLAIMS'] ?? 20);
