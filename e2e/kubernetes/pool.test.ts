import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pollUntil } from '@sandbox/api/wait.ts';
import { beforeAll, expect, test } from 'vitest';
import { median } from '../bench/harness/statistics.ts';
import { installAgentSandbox, poolOf, poolReady, routerAddress } from './cluster/agent-sandbox.ts';
import {
  Api,
  bindKey,
  CLAIMS,
  type Claimed,
  claimSandbox,
  type KeyPair,
  poolKeys,
  signedClaim,
} from './cluster/claim.ts';
import { CLUSTER } from './cluster/cluster.ts';
import { applyDirectory, ownDeployment } from './cluster/deploy.ts';
import { apply, get, kubectl } from './cluster/kubectl.ts';
import { KEY, Namespace, READY_MS, SandboxPod } from './cluster/pod.ts';
import {
  AS_ROOT,
  emptyDirectory,
  type PodTerms,
  sandboxPod,
  sandboxPodSpec,
  type Volume,
} from './cluster/sandbox-pod-spec.ts';
import { hostVolume } from './cluster/volumes.ts';

const { agentSandbox } = CLUSTER;
const withController = test.skipIf(agentSandbox === undefined);

beforeAll(async () => {
  if (agentSandbox !== undefined) await installAgentSandbox(agentSandbox);
});

/** The mount of the public key of a pool, and the variable that names it. */
async function mountedKeys(namespace: Namespace) {
  const keys = poolKeys();
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'pool' },
    stringData: { 'public.pem': keys.publicKey },
  };
  await apply(namespace.name, secret);
  return {
    keys,
    env: { SVC_CLAIM_PUBLIC_KEY_FILE: '/run/pool/public.pem' },
    volume: { name: 'pool', at: '/run/pool', of: { secret: { secretName: 'pool' } } } satisfies Volume,
  };
}

/** Starts the sandbox `mine` without a pool. */
async function startMine(namespace: Namespace, terms: PodTerms): Promise<void> {
  await apply(namespace.name, {
    apiVersion: 'agents.x-k8s.io/v1beta1',
    kind: 'Sandbox',
    metadata: { name: 'mine' },
    spec: { service: true, podTemplate: { metadata: { labels: { app: 'mine' } }, spec: sandboxPodSpec(terms) } },
  });
  await untilCondition(namespace.name, 'Ready');
}

/** The pool of `deploy/kubernetes/agent-sandbox` with a key pair of its own. */
async function deployPool(namespace: Namespace): Promise<KeyPair> {
  const keys = poolKeys();
  await using directory = await ownDeployment();
  const pool = join(directory.path, 'agent-sandbox');
  await writeFile(join(pool, 'pool-public.pem'), keys.publicKey);
  await applyDirectory(namespace.name, pool);
  return keys;
}

withController(`${CLAIMS} claims of the documented pool: each key opens its own sandbox alone`, async () => {
  await using namespace = await Namespace.make('pool');
  const keys = await deployPool(namespace);
  using api = await Api.open();
  const filled = await poolReady(namespace.name, 'sandbox', 3);
  const times: { ready: number; claimed: number; command: number }[] = [];
  let before: Claimed | undefined;
  while (times.length < CLAIMS) {
    // The next caller of a pool that is not used up: a start of another sandbox costs a second of a processor.
    await poolReady(namespace.name, 'sandbox', 3);
    const claimed = await claimSandbox(api, { namespace: namespace.name, pool: 'sandbox', keys });
    times.push({ ready: claimed.readyMs, claimed: claimed.claimedMs, command: claimed.commandMs });
    expect(await claimed.pod.call('/v2/commands', { key: null })).toMatchObject({ status: 401 });
    if (before) expect(await claimed.pod.call('/v2/commands', { key: before.key })).toMatchObject({ status: 401 });
    expect((await bindKey(claimed.pod, keys, 'another')).status).toBe(409);
    if (before) await kubectl(['-n', namespace.name, 'delete', 'sandboxclaim', before.name, '--wait=true']);
    before = claimed;
  }
  const [ready, bound, command] = (['ready', 'claimed', 'command'] as const).map((name) =>
    median(times.map((one) => one[name])).toFixed(0),
  );
  console.info(
    `pool of 3 filled in ${filled.toFixed(1)} s; median of ${times.length} warm claims: ready ${ready} ms, ` +
      `key bound ${bound} ms, first command answered ${command} ms`,
  );
  await kubectl(['-n', namespace.name, 'delete', 'sandboxclaims,sandboxwarmpools', '--all', '--wait=false']);
});

withController('root of a claimed sandbox has nothing that claims another one', async () => {
  await using namespace = await Namespace.make('pool-root');
  const keys = await deployPool(namespace);
  using api = await Api.open();
  await poolReady(namespace.name, 'sandbox', 3);
  const { pod, key } = await claimSandbox(api, { namespace: namespace.name, pool: 'sandbox', keys });
  expect(await pod.run('id -u', { key, user: 'root' })).toBe('0\n');
  const secrets = await pod.run('cat /run/secrets/sandbox/*; env; cat /proc/1/environ', { key, user: 'root' });
  expect(secrets).toContain('BEGIN PUBLIC KEY');
  expect(secrets).not.toMatch(/PRIVATE KEY|TOKEN=/);
  const names = (await kubectl(['-n', namespace.name, 'get', 'pods', '-o', 'name'])).trim().split('\n');
  const other = names.map((name) => name.replace('pod/', '')).find((name) => name !== pod.name) ?? '';
  const waiting = new SandboxPod(namespace.name, other);
  await waiting.ready();
  const { metadata } = await pod.object();
  // A statement for the own pod, with any other key, and for the own pod with the right one.
  const body = JSON.stringify({ api_key: 'stolen' });
  const statement = { podUid: metadata.uid, host: pod.name, body };
  for (const signer of [poolKeys(), keys]) {
    const headers = { authorization: `Bearer ${signedClaim(signer, statement)}`, 'content-type': 'application/json' };
    const answer = await waiting.call('/v2/sandbox/claim', { method: 'POST', body, key: null, headers });
    expect(answer.status, answer.body).toBe(401);
  }
  await kubectl(['-n', namespace.name, 'delete', 'sandboxclaims,sandboxwarmpools', '--all', '--wait=false']);
});

test('a claim outlives the container on a mount; without one the pool refuses to be claimed', async () => {
  await using namespace = await Namespace.make('claims');
  const { keys, env, volume: publicKey } = await mountedKeys(namespace);
  const terms = { env, keyFrom: null };
  await using refused = await namespace.start(sandboxPod('without', { ...terms, volumes: [publicKey] }));
  const answer = await bindKey(refused, keys, 'a-key');
  expect([answer.status, answer.body]).toEqual([503, expect.stringMatching(/mount|SVC_CLAIM_AGAIN/)]);
  await refused.remove('--force', '--grace-period=0');
  const volumes = [publicKey, emptyDirectory('records', '/var/lib/svc')];
  await using pod = await namespace.start(sandboxPod('with', { ...terms, volumes }));
  expect((await bindKey(pod, keys, 'a-key')).status).toBe(200);
  await pod.kill('[s]vc_supervisord');
  await pod.restarted();
  await pod.ready();
  expect(await pod.restarts()).toBe(1);
  expect(await pod.run('echo mine', { key: 'a-key' })).toBe('mine\n');
  expect((await bindKey(pod, keys, 'another')).status).toBe(409);
});

withController('a suspended sandbox resumes with home and records', async () => {
  await using namespace = await Namespace.make('suspend');
  await using volume = await hostVolume(namespace.name, 'mine');
  const volumes = [volume.at('/home/sandbox', 'home'), volume.at('/var/lib/svc', 'records')];
  await startMine(namespace, { volumes });
  const mine = new SandboxPod(namespace.name, 'mine');
  const recorded = await mine.call('/v2/commands', { body: { command: 'echo kept > ~/note; echo recorded' } });
  const { command_id: id } = (JSON.parse(recorded.body) as { data: { command_id: string } }).data;
  const mode = (value: string) =>
    kubectl([
      '-n',
      namespace.name,
      'patch',
      'sandbox',
      'mine',
      '--type=merge',
      '-p',
      `{"spec":{"operatingMode":"${value}"}}`,
    ]);
  await mode('Suspended');
  await untilCondition(namespace.name, 'Suspended');
  await mode('Running');
  await expect
    .poll(() => new SandboxPod(namespace.name, 'mine').run('cat ~/note').catch(String), { timeout: READY_MS })
    .toBe('kept\n');
  const record = await new SandboxPod(namespace.name, 'mine').call(`/v2/commands/${id}`);
  expect([record.status, record.body]).toEqual([200, expect.stringContaining('recorded')]);
  await kubectl(['-n', namespace.name, 'delete', 'sandbox', 'mine', '--wait=true']);
});

interface Conditions {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function untilCondition(namespace: string, type: string): Promise<void> {
  const has = async (): Promise<boolean> =>
    (await get<Conditions>(namespace, 'sandbox', 'mine')).status?.conditions?.some(
      (one) => one.type === type && one.status === 'True',
    ) ?? false;
  expect(await pollUntil(has, { everyMs: 200, ms: READY_MS })).toBe('settled');
}

withController('the router reaches a sandbox by its id, with x-api-key', async () => {
  await using namespace = await Namespace.make('router');
  await startMine(namespace, { env: { SVC_SANDBOXD: 'true' }, securityContext: AS_ROOT });
  const { metadata } = await get(namespace.name, 'sandbox', 'mine');
  const address = await routerAddress();
  const headers = {
    'x-sandbox-id': 'mine',
    'x-sandbox-uid': String(metadata.uid),
    'x-sandbox-namespace': namespace.name,
    'x-sandbox-port': '8080',
  };
  const run = await fetch(`${address}/v2/commands`, {
    method: 'POST',
    headers: { ...headers, 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ command: 'echo through the router' }),
  });
  expect([run.status, await run.text()]).toEqual([200, expect.stringContaining('through the router')]);
  const files = await fetch(`${address}/v1/files/`, { headers: { ...headers, 'x-api-key': KEY } });
  expect(files.status).toBe(200);
  const stripped = await fetch(`${address}/v2/commands`, { headers: { ...headers, authorization: `Bearer ${KEY}` } });
  expect(stripped.status).toBe(401);
  await kubectl(['-n', namespace.name, 'delete', 'sandbox', 'mine', '--wait=true']);
});

withController('a claim of an empty pool starts a sandbox of its own', async () => {
  await using namespace = await Namespace.make('cold');
  const { keys, env, volume } = await mountedKeys(namespace);
  const spec = sandboxPodSpec({
    env,
    keyFrom: null,
    volumes: [volume, emptyDirectory('records', '/var/lib/svc')],
  });
  await apply(namespace.name, ...poolOf('cold', 0, spec));
  using api = await Api.open();
  const cold = await claimSandbox(api, { namespace: namespace.name, pool: 'cold', keys });
  console.info(
    `cold claim: ready ${cold.readyMs.toFixed(0)} ms, first command answered ${cold.commandMs.toFixed(0)} ms`,
  );
  await kubectl(['-n', namespace.name, 'delete', 'sandboxclaims,sandboxwarmpools', '--all', '--wait=false']);
});
