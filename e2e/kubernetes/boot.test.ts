import { expect, test } from 'vitest';
import { apply, kubectl } from './cluster/kubectl.ts';
import { Namespace, READY_MS } from './cluster/pod.ts';
import { emptyDirectory, RESTRICTED, sandboxPod } from './cluster/sandbox-pod-spec.ts';
import { hostVolume } from './cluster/volumes.ts';

test('Services named gateway and svc set no option, and the log names them', async () => {
  await using namespace = await Namespace.make('links');
  for (const name of ['gateway', 'svc'])
    await apply(namespace.name, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: { app: 'none' }, ports: [{ port: 80 }] },
    });
  // Services that are younger than the pod set nothing.
  await using pod = await namespace.start(sandboxPod('links', { hasLinks: true }));
  const log = await pod.log();
  expect(log).toContain('GATEWAY_PORT');
  expect(log).toContain('SVC_PORT');
  expect(await pod.run('echo runs')).toBe('runs\n');
});

test('readiness and liveness need no key and no process', async () => {
  await using namespace = await Namespace.make('probes');
  await using pod = await namespace.start(sandboxPod('probes'));
  for (const path of ['/health', '/health?ready']) {
    expect(await pod.call(path, { key: null })).toMatchObject({ status: 200 });
  }
  expect(await pod.call('/ready', { key: null })).toMatchObject({ status: 401 });
});

test('a home that the account cannot write ends the boot with one line; a number of its owner serves it', async () => {
  await using namespace = await Namespace.make('homes');
  await using foreign = await hostVolume(namespace.name, 'foreign', { owner: 4242 });
  const home = foreign.at('/home/sandbox');
  for (const [name, securityContext] of [
    ['as-root', undefined],
    ['as-1000', RESTRICTED],
  ] as const) {
    const terms = { volumes: [home], keyMode: 0o444, ...(securityContext && { securityContext }) };
    await using pod = await namespace.create(sandboxPod(name, terms));
    await pod.restarted();
    const about = async (): Promise<string[]> =>
      (await pod.log(true)).split('\n').filter((line) => line.includes('/home/sandbox'));
    await expect.poll(about, { timeout: READY_MS }).toHaveLength(1);
    const said = await about();
    expect(said[0]).toMatch(/cannot (?:be )?writ|PUID|SVC_TEMPORARY_HOME/);
  }
  await using temporary = await namespace.start(
    sandboxPod('temporary', { volumes: [home], env: { SVC_TEMPORARY_HOME: 'true' } }),
  );
  expect(await temporary.run('echo kept > ~/a && cat ~/a && echo "$HOME"')).toMatch(/^kept\n\/tmp\//);
  await using owner = await namespace.start(
    sandboxPod('owner', { volumes: [home], env: { PUID: '4242', PGID: '4242' } }),
  );
  expect(await owner.run('id -u && echo mine > ~/a && cat ~/a')).toBe('4242\nmine\n');
});

test('a key that cannot be read ends the boot with a line that names the file', async () => {
  await using namespace = await Namespace.make('unreadable');
  await using pod = await namespace.create(sandboxPod('unreadable', { securityContext: RESTRICTED }));
  await pod.restarted();
  expect(await pod.log(true)).toMatch(/\/run\/secrets\/sandbox\/api-key.*EACCES/);
});

test('a Secret that is changed is the key without a restart', async () => {
  await using namespace = await Namespace.make('rotation');
  await using pod = await namespace.start(sandboxPod('rotation'));
  const next = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'sandbox-key' },
    stringData: { 'api-key': 'next' },
  };
  await apply(namespace.name, next);
  // The kubelet looks about once a minute, at once when the pod changes.
  await kubectl(['-n', namespace.name, 'annotate', 'pod', 'rotation', 'example.com/changed=1']);
  await expect
    .poll(async () => (await pod.call('/v2/sandbox', { key: 'next' })).status, { timeout: READY_MS, interval: 500 })
    .toBe(200);
  expect(await pod.call('/v2/sandbox')).toMatchObject({ status: 401 });
  expect(await pod.restarts()).toBe(0);
});

test('home and records on a volume outlive the pod, also below one sub path each', async () => {
  await using namespace = await Namespace.make('kept');
  await using volume = await hostVolume(namespace.name, 'kept', { holds: ['lost+found'] });
  const volumes = [volume.at('/home/sandbox', 'home'), volume.at('/var/lib/svc', 'records')];
  const id = await (async () => {
    await using first = await namespace.start(sandboxPod('first', { volumes }));
    const answer = await first.call('/v2/commands', { body: { command: 'echo kept > ~/note; echo recorded' } });
    await first.remove('--wait=true');
    return (JSON.parse(answer.body) as { data: { command_id: string } }).data.command_id;
  })();
  await using second = await namespace.start(sandboxPod('second', { volumes }));
  expect(await second.run('cat ~/note')).toBe('kept\n');
  const record = await second.call(`/v2/commands/${id}`);
  expect([record.status, record.body]).toEqual([200, expect.stringContaining('recorded')]);
});

test('a root file system that cannot be written needs four mounts', async () => {
  await using namespace = await Namespace.make('read-only');
  const volumes = [
    emptyDirectory('tmp', '/tmp'),
    emptyDirectory('run', '/run/svc'),
    emptyDirectory('records', '/var/lib/svc'),
    emptyDirectory('home', '/home/sandbox'),
  ];
  const securityContext = { ...RESTRICTED, readOnlyRootFilesystem: true };
  const terms = { securityContext, podSecurityContext: { fsGroup: 1000 }, keyMode: 0o440, volumes };
  await using pod = await namespace.start(sandboxPod('read-only', terms));
  expect(await pod.run('touch /opt/x 2>&1; echo ok > ~/a && cat ~/a')).toMatch(/Read-only file system\nok\n/);
});
