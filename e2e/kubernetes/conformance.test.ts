import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pollUntil } from '@sandbox/api/wait.ts';
import { expect, test } from 'vitest';
import { freePort } from '../../scripts/testing/free-port.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { installAgentSandbox, poolOf, poolReady, routerAddress } from './cluster/agent-sandbox.ts';
import { CLUSTER } from './cluster/cluster.ts';
import { apply, kubectl } from './cluster/kubectl.ts';
import { KEY, Namespace, READY_MS, type SandboxPod } from './cluster/pod.ts';
import { AS_ROOT, sandboxPod, sandboxPodSpec } from './cluster/sandbox-pod-spec.ts';
import { allPassed, OLDER_CASES, outcomes, REST_CASES, type Service } from './rest-cases.ts';

const run = promisify(execFile);
const { agentSandbox, sandboxd, python } = CLUSTER;
const PROTOCOLS = { SVC_SANDBOXD: 'true', SVC_SANDBOXD_GRPC_PORT: '9090', SVC_PYTHON_RUNTIME_PORT: '8888' };
const withPython = test.skipIf(python === undefined);

/** The reference: sandboxd itself, on loopback. */
async function reference() {
  const root = await tempDir();
  const [rest, grpc] = [await freePort(), await freePort()];
  const args = [`--rest-port=${rest}`, `--grpc-port=${grpc}`, `--root-dir=${root.path}`, '--listen-host=127.0.0.1'];
  const child = spawn(sandboxd ?? '', args, { stdio: 'ignore' });
  const base = `http://127.0.0.1:${rest}`;
  const answers = (): Promise<boolean> =>
    fetch(`${base}/v1/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await pollUntil(answers, { everyMs: 100, ms: READY_MS });
  return {
    service: { base, headers: {} } satisfies Service,
    grpc: `127.0.0.1:${grpc}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
      await root[Symbol.asyncDispose]();
    },
  };
}

async function serviceOf(pod: SandboxPod, port: number): Promise<Service> {
  return { base: `http://${await pod.address(port)}`, headers: { 'x-api-key': KEY } };
}

async function grpcCases(target: string, key?: string): Promise<Record<string, string>> {
  const script = join(import.meta.dirname, 'python/grpc_cases.py');
  const { stdout } = await run(python ?? '', [script, target, ...(key ? [key] : [])]);
  return JSON.parse(stdout) as Record<string, string>;
}

test('the REST cases of sandboxd and the older API pass in a pod, and in sandboxd itself', async () => {
  await using namespace = await Namespace.make('conformance');
  await using pod = await namespace.start(sandboxPod('rest', { env: PROTOCOLS }));
  expect(await outcomes(REST_CASES, await serviceOf(pod, 8080), 'cases')).toEqual(allPassed(REST_CASES));
  expect(await outcomes(OLDER_CASES, await serviceOf(pod, 8888), 'older')).toEqual(allPassed(OLDER_CASES));
  if (sandboxd === undefined) return;
  await using other = await reference();
  expect(await outcomes(REST_CASES, other.service, 'cases')).toEqual(allPassed(REST_CASES));
});

withPython('the gRPC cases of sandboxd pass in a pod, and in sandboxd itself', async () => {
  await using namespace = await Namespace.make('grpc');
  await using pod = await namespace.start(sandboxPod('grpc', { env: PROTOCOLS }));
  const ours = await grpcCases(await pod.address(9090), KEY);
  expect(ours).toEqual(Object.fromEntries(Object.keys(ours).map((name) => [name, 'passed'])));
  expect(Object.keys(ours).length).toBe(14);
  if (sandboxd === undefined) return;
  await using other = await reference();
  expect(await grpcCases(other.grpc)).toEqual(ours);
});

const MODES = ['router', 'tunnel', 'in-cluster', 'sandboxd'] as const;

test.skipIf(python === undefined || agentSandbox === undefined)(
  'the published Python client works in each of its modes',
  async () => {
    await installAgentSandbox(agentSandbox ?? '');
    await using namespace = await Namespace.make('client');
    // The client has no place for a key: the network policy of the pool is what keeps others out.
    const env = { ...PROTOCOLS, SVC_ALLOWED_HOSTS: '**.svc.cluster.local' };
    const spec = sandboxPodSpec({ env, securityContext: AS_ROOT, keyFrom: null });
    await apply(namespace.name, ...poolOf('runtime', 2, spec, { networkPolicyManagement: 'Unmanaged' }));
    for (const mode of MODES) {
      await poolReady(namespace.name, 'runtime', 1);
      const args = [mode, 'runtime', namespace.name, await routerAddress()];
      const env = { ...process.env, PATH: `${join(CLUSTER.kubectl, '..')}:${process.env['PATH']}` };
      const { stdout } = await run(python ?? '', [join(import.meta.dirname, 'python/drive_client.py'), ...args], {
        env,
      });
      expect(stdout, mode).toMatch(/passed\n$/);
    }
    await kubectl(['-n', namespace.name, 'delete', 'sandboxclaims,sandboxwarmpools', '--all', '--wait=false']);
  },
);
