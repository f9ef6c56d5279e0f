import { pollUntil } from '@sandbox/api/wait.ts';
import { expect, test } from 'vitest';
import { kubectl } from './cluster/kubectl.ts';
import { Namespace, READY_MS, type SandboxPod } from './cluster/pod.ts';
import { emptyDirectory, sandboxPod } from './cluster/sandbox-pod-spec.ts';

const RECORDS = emptyDirectory('records', '/var/lib/svc');
const HOME = emptyDirectory('home', '/home/sandbox');

async function background(pod: SandboxPod, command: string): Promise<string> {
  const answer = await pod.call('/v2/commands', { body: { command, mode: 'async' } });
  return (JSON.parse(answer.body) as { data: { command_id: string } }).data.command_id;
}

async function answersAgain(pod: SandboxPod): Promise<void> {
  const answers = (): Promise<boolean> =>
    pod.run('echo alive', { ms: 5000 }).then(
      (text) => text === 'alive\n',
      () => false,
    );
  expect(await pollUntil(answers, { everyMs: 200, ms: READY_MS })).toBe('settled');
}

test('daemon and gateway come back with what ran; the container is not restarted', async () => {
  await using namespace = await Namespace.make('kills');
  await using pod = await namespace.start(sandboxPod('kills', { volumes: [RECORDS, HOME] }));
  const id = await background(pod, 'echo before; sleep 600');
  for (const pattern of ['[s]andboxd.mjs start', '[g]ateway.mjs']) {
    await pod.kill(pattern);
    await answersAgain(pod);
    expect((await pod.call(`/v2/commands/${id}`)).body).toContain('"running"');
  }
  expect(await pod.restarts()).toBe(0);
});

test('after the end of the supervisor the container is a new one, with records, home and key', async () => {
  await using namespace = await Namespace.make('supervisor');
  await using pod = await namespace.start(sandboxPod('supervisor', { volumes: [RECORDS, HOME] }));
  const id = await background(pod, 'echo kept > ~/note; echo before; sleep 600');
  await expect.poll(() => pod.run('cat ~/note')).toBe('kept\n');
  await pod.kill('[s]vc_supervisord');
  await pod.restarted();
  await pod.ready();
  expect(await pod.restarts()).toBe(1);
  expect(await pod.run('cat ~/note')).toBe('kept\n');
  expect((await pod.call(`/v2/commands/${id}`)).body).toContain('"lost"');
  expect(await pod.call('/v2/commands', { key: null })).toMatchObject({ status: 401 });
});

test('a daemon that is stopped is replaced without a restart of the container', async () => {
  await using namespace = await Namespace.make('stopped');
  await using pod = await namespace.start(sandboxPod('stopped'));
  const pid = async (): Promise<string> => {
    const find = ['-n', pod.namespace, 'exec', pod.name, '--', 'pgrep', '-f', '[s]andboxd.mjs start'];
    return (await kubectl(find).catch(() => '')).trim();
  };
  const stopped = await pid();
  await pod.kill('[s]andboxd.mjs start', 'STOP');
  const isReplaced = async (): Promise<boolean> => !['', stopped].includes(await pid());
  expect(await pollUntil(isReplaced, { everyMs: 500, ms: READY_MS })).toBe('settled');
  await answersAgain(pod);
  expect(await pod.restarts()).toBe(0);
});

test('a deleted pod ends within its grace, and commands get SIGTERM first', async () => {
  await using namespace = await Namespace.make('ends');
  const pod = await namespace.start(sandboxPod('ends'));
  await background(pod, 'trap "" TERM; while :; do sleep 1; done');
  const began = performance.now();
  await pod.remove('--wait=true');
  expect(performance.now() - began).toBeLessThan(60_000);
});

test('a drained node ends the pod; a budget of disruptions holds it', async ({ skip }) => {
  await using namespace = await Namespace.make('drain');
  const pod = await namespace.start(sandboxPod('drain'));
  const node = await kubectl(['-n', namespace.name, 'get', 'pod', 'drain', '-o', 'jsonpath={.spec.nodeName}']);
  const nodes = (await kubectl(['get', 'nodes', '-o', 'name'])).trim().split('\n');
  if (nodes.length > 1) skip('it drains a node, which is left alone in a cluster of others');
  await background(pod, 'sleep 600');
  const drain = ['drain', node, '--pod-selector=app=drain', '--force', '--delete-emptydir-data', '--timeout=60s'];
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'drain', namespace: namespace.name },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'drain' } } },
  };
  try {
    await kubectl(['create', '-f', '-'], JSON.stringify(budget));
    await expect
      .poll(() => kubectl([...drain.slice(0, -1), '--timeout=2s']).catch(String), { timeout: READY_MS })
      .toMatch(/disruption budget|global timeout/);
    expect(await pod.run('echo alive')).toBe('alive\n');
    await kubectl(['-n', namespace.name, 'delete', 'pdb', 'drain']);
    await kubectl(drain);
    expect(await kubectl(['-n', namespace.name, 'get', 'pods', '-o', 'name'])).toBe('');
  } finally {
    await kubectl(['uncordon', node]);
  }
});
