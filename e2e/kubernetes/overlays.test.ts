import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyDirectory, ownDeployment } from './cluster/deploy.ts';
import { kubectl } from './cluster/kubectl.ts';
import { KEY, Namespace, SandboxPod } from './cluster/pod.ts';

const ENFORCE = 'pod-security.kubernetes.io/enforce';

interface Overlay {
  readonly name: string;
  readonly level: 'baseline' | 'restricted';
  readonly id: RegExp;
  /** Whether commands can read the key: the daemon has their account. */
  readonly readsKey: boolean;
}

const OVERLAYS: readonly Overlay[] = [
  { name: 'baseline', level: 'baseline', id: /^uid=1000\(sandbox\)/, readsKey: false },
  { name: 'read-only', level: 'baseline', id: /^uid=1000\(sandbox\)/, readsKey: false },
  { name: 'restricted', level: 'restricted', id: /^uid=1000\(sandbox\)/, readsKey: true },
  { name: 'any-uid', level: 'restricted', id: /^uid=1000680000\(/, readsKey: true },
];

const PAGE = 'data:text/html,<title>A%20page</title><p>hello</p>';

/** A command, a file, a terminal, a cell and a page. */
async function use(pod: SandboxPod): Promise<void> {
  expect(await pod.run('cd && echo kept > note && cat note && grep -c "^NoNewPrivs:.1" /proc/self/status')).toBe(
    'kept\n1\n',
  );
  const home = (await pod.run('echo "$HOME"')).trim();
  const read = await pod.call(`/v2/fs/read?path=${encodeURIComponent(`${home}/note`)}`);
  expect([read.status, read.body]).toEqual([200, expect.stringContaining('kept')]);
  const cell = await pod.call('/v2/code/execute', { body: { language: 'python', code: '6 * 7' } });
  expect([cell.status, cell.body]).toEqual([200, expect.stringContaining('42')]);
  await pod.call('/v2/browser/start', { method: 'POST', body: {}, ms: 120_000 });
  const page = await pod.call('/v2/browser/navigate', { body: { url: PAGE }, ms: 120_000 });
  expect([page.status, page.body]).toEqual([200, expect.stringContaining('A page')]);
  await pod.call('/v2/pty/sessions', { body: { id: 'work' } });
  const terminal = await pod.call('/v2/pty/sessions/work/exec', { body: { command: 'echo "seen in $TERM"' } });
  expect([terminal.status, terminal.body]).toEqual([200, expect.stringContaining('seen in xterm')]);
}

for (const { name, level, id, readsKey } of OVERLAYS)
  test(`${name}: applied with image and key alone, ready and used under Pod Security "${level}"`, async () => {
    await using directory = await ownDeployment();
    await using namespace = await Namespace.make(`overlay-${name}`, { [ENFORCE]: level });
    await applyDirectory(namespace.name, join(directory.path, 'overlays', name));
    await using pod = new SandboxPod(namespace.name, 'sandbox');
    await pod.ready();
    expect((await pod.object()).status.qosClass).toBe('Guaranteed');
    expect(await pod.run('id')).toMatch(id);
    const seen = await pod.run('cat /run/secrets/sandbox/api-key 2>&1 || true');
    expect(seen.includes(KEY)).toBe(readsKey);
    await use(pod);
    expect(await pod.call('/v2/commands', { key: null })).toMatchObject({ status: 401 });
    expect(await pod.restarts()).toBe(0);
  });

test('the profile of the image is put on the node, and the browser then has its own sandbox', async () => {
  await using directory = await ownDeployment();
  await kubectl(['apply', '-k', join(directory.path, 'seccomp')]);
  await kubectl(['-n', 'sandbox-seccomp', 'rollout', 'status', 'daemonset/sandbox-seccomp', '--timeout=120s']);
  await using namespace = await Namespace.make('overlay-seccomp', { [ENFORCE]: 'baseline' });
  await applyDirectory(namespace.name, join(directory.path, 'overlays/baseline'));
  const pod = new SandboxPod(namespace.name, 'sandbox');
  const withProfile = await kubectl(['-n', namespace.name, 'get', 'pod', 'sandbox', '-o', 'json']).then(JSON.parse);
  await pod.remove('--force', '--grace-period=0');
  const { metadata, spec, ...rest } = withProfile;
  const [container] = spec.containers;
  container.securityContext.seccompProfile = { type: 'Localhost', localhostProfile: 'profiles/sandbox.json' };
  await using own = await namespace.start({ ...rest, metadata: { name: 'sandbox', labels: metadata.labels }, spec });
  await own.call('/v2/browser/start', { method: 'POST', body: {}, ms: 120_000 });
  await own.call('/v2/browser/navigate', { body: { url: PAGE }, ms: 120_000 });
  expect(await own.run('ps -eo args | grep -c -- "[-]-no-sandbox" || true')).toBe('0\n');
  expect(await own.run('ps -eo args | grep -c "[c]hromium" || true')).not.toBe('0\n');
});
