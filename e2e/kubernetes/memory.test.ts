import { pollUntil } from '@sandbox/api/wait.ts';
import { expect, test } from 'vitest';
import { kubectl } from './cluster/kubectl.ts';
import { Namespace, READY_MS, type SandboxPod } from './cluster/pod.ts';
import { sandboxPod } from './cluster/sandbox-pod-spec.ts';

const MEMORY = '512Mi';
/** Twenty programs of 40 MB, which together need more than the pod has. */
const HOGS = `for i in $(seq 20); do python3 -c 'import time; a = bytearray(40 << 20); time.sleep(8)' & done; wait; echo done`;

const CLASSES = [
  {
    name: 'guaranteed',
    qos: 'Guaranteed',
    requests: { cpu: '1', memory: MEMORY },
    limits: { cpu: '1', memory: MEMORY },
  },
  { name: 'burstable', qos: 'Burstable', requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: MEMORY } },
  { name: 'best-effort', qos: 'BestEffort', requests: {}, limits: {} },
] as const;

async function doctor(pod: SandboxPod): Promise<string> {
  const command = ['-n', pod.namespace, 'exec', pod.name, '--', 'sandboxd', 'doctor'];
  return await kubectl(command).catch(String);
}

async function pids(pod: SandboxPod): Promise<string> {
  const find = `pgrep -f '[s]andboxd.mjs start|[g]ateway.mjs|[s]vc_supervisord' | sort -n | tr '\\n' ' '`;
  return await kubectl(['-n', pod.namespace, 'exec', pod.name, '--', 'sh', '-c', find]);
}

for (const { name, qos, requests, limits } of CLASSES)
  test(`${qos}: commands that take all memory end, the services stay`, async () => {
    await using namespace = await Namespace.make(`memory-${name}`);
    const env = qos === 'Burstable' ? { SVC_MEMORY_GUARD: '90' } : {};
    await using pod = await namespace.start(sandboxPod(name, { resources: { requests, limits }, env }));
    expect((await pod.object()).status.qosClass).toBe(qos);
    expect(await doctor(pod)).toMatch(/memory/i);
    // A pod without a limit could take the whole node.
    if (qos === 'BestEffort') return;
    const services = await pids(pod);
    const answer = await pod.call('/v2/commands', { body: { command: HOGS }, ms: 120_000 });
    expect(answer.status).toBe(200);
    expect(await pod.run('echo alive')).toBe('alive\n');
    expect(await pids(pod)).toBe(services);
    expect(await pod.restarts()).toBe(0);
  });

test('the guard ends the largest command, whose record says so', async () => {
  await using namespace = await Namespace.make('memory-guard');
  const resources = { requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: MEMORY } };
  await using pod = await namespace.start(sandboxPod('guard', { resources, env: { SVC_MEMORY_GUARD: '90' } }));
  const answer = await pod.call('/v2/commands', { body: { command: 'tail </dev/zero' }, ms: 120_000 });
  expect(JSON.parse(answer.body).data).toMatchObject({ ended_by: 'memory_guard', usage: { oom_killed: true } });
  expect(await pod.run('echo alive')).toBe('alive\n');
});

test('what is left in /dev/shm does not end the container again and again', async () => {
  await using namespace = await Namespace.make('shm');
  const resources = { requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: MEMORY } };
  await using pod = await namespace.start(sandboxPod('shm', { resources }));
  await pod.run('head -c 420M /dev/zero > /dev/shm/large; ls -l /dev/shm').catch(() => '');
  // The kernel ends what it chooses, the container too if it must: what counts is that it works afterwards.
  const works = async (): Promise<boolean> =>
    await pod.run('rm -f /dev/shm/large; python3 -c "a = bytearray(100 << 20); print(len(a))"', { ms: 10_000 }).then(
      (text) => text === '104857600\n',
      () => false,
    );
  expect(await pollUntil(works, { everyMs: 500, ms: READY_MS })).toBe('settled');
  expect(await pod.restarts()).toBeLessThan(2);
});
