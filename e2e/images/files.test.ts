import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { NO_BROWSER, NO_KERNELS, sharedSandbox } from './sandbox.ts';

/** A file of the host that is mounted as a single file, and again read-only. */
const directory = mkdtempSync(join(tmpdir(), 'sandbox-mounted-'));
const mounted = join(directory, 'file');
writeFileSync(mounted, 'old');
afterAll(() => rmSync(directory, { recursive: true }));

const sandbox = sharedSandbox({
  env: { ...NO_BROWSER, ...NO_KERNELS },
  with: (container) =>
    container
      .withBindMounts([
        { source: mounted, target: '/home/sandbox/mounted', mode: 'rw' },
        { source: directory, target: '/read-only', mode: 'ro' },
      ])
      .withTmpFs({ '/home/sandbox/small': 'size=1m,mode=1777' }),
});

interface Failed {
  readonly hint: string | null;
  readonly data: { readonly error_type: string; readonly errno_name: string };
}

interface OutPath {
  readonly path: string;
  readonly reason: string;
}

interface Taken {
  readonly id: string;
  readonly files: number;
  readonly left_out: readonly OutPath[];
}

interface Restored {
  readonly not_restored: readonly OutPath[];
}

async function refused(path: string, init: RequestInit): Promise<[number, string, Failed]> {
  const answer = await sandbox().fetch(path, init);
  const body = (await answer.json()) as Failed;
  return [answer.status, body.data.error_type, body];
}

function writing(body: object): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Describes a tree: of each name type, mode, size, link, owners, and the time of its change in microseconds. */
async function described(path: string): Promise<{ readonly entries: string[]; readonly times: number[] }> {
  const found = await sandbox().shell(
    `cd ${path} && find . -printf '%T@ %p %y %m %s %l %u %g\\n' | sed -E 's/ (\\S* d \\S* )[0-9]*/ \\1/' | sort -k 2`,
  );
  const lines = found.split('\n').map((line) => /^(\S+) (.*)$/.exec(line) ?? []);
  return {
    entries: lines.map(([, , entry = '']) => entry),
    times: lines.map(([, time]) => Math.round(Number(time) * 1e6)),
  };
}

/** Times are set as numbers of seconds, which are exact to a microsecond. */
function expectSame(tree: Awaited<ReturnType<typeof described>>, before: typeof tree): void {
  expect(tree.entries).toEqual(before.entries);
  expect(tree.times.filter((time, at) => !(Math.abs(time - (before.times[at] ?? 0)) <= 1))).toEqual([]);
}

test('[images.files-layer] a directory of an image layer, which cannot be renamed, is moved with all metadata', async () => {
  const [from, to] = ['/usr/share/git-core', '/usr/share/moved'];
  await sandbox().shell('cp -a /etc/skel /tmp/skel');
  onTestFinished(async () => {
    await sandbox().shell(`rm -r /etc/skel && cp -a /tmp/skel /etc && rm -r /tmp/skel && rm -rf ${to}`);
  });
  const before = await described(from);
  await sandbox().post('/v2/fs/move', { source: from, destination: to });
  expectSame(await described(to), before);
  expect(await sandbox().shell(`test -e ${from} || echo gone`)).toBe('gone');
  await sandbox().post('/v2/fs/copy', { source: to, destination: '/etc/skel', overwrite: true });
  expect(await sandbox().shell('diff -r /etc/skel /usr/share/moved; ls -A /etc | grep -c svc-upload || true')).toBe(
    '0',
  );
  await sandbox().post('/v2/fs/move', { source: to, destination: from });
  expectSame(await described(from), before);
});

test('[images.files-mounted] a mounted file is written in place and cannot be replaced', async () => {
  const path = '/home/sandbox/mounted';
  const atomic = await refused('/v2/fs/write', writing({ path, content: 'new', atomic: true }));
  expect(atomic).toMatchObject([409, 'already_exists', { hint: expect.stringContaining('mount point') }]);
  const upload = await refused(`/v2/fs/upload?path=${path}`, { method: 'PUT', body: 'new' });
  expect(upload).toMatchObject([409, 'already_exists', { hint: expect.stringContaining('mount point') }]);
  await sandbox().post('/v2/fs/write', { path, content: 'new' });
  expect([
    readFileSync(mounted, 'utf8'),
    await sandbox().shell('ls -A /home/sandbox | grep svc-upload || true'),
  ]).toEqual(['new', '']);
  const elsewhere = await refused('/v2/fs/write', writing({ path: '/read-only/x/y', content: '' }));
  expect(elsewhere).toMatchObject([403, 'read_only_filesystem', { data: { errno_name: 'EROFS' } }]);
});

test('[images.files-full-disk] a disk that becomes full during an upload is 507, and no partial file remains', async () => {
  await sandbox().post('/v2/fs/write', { path: '/home/sandbox/small/old', content: 'old' });
  const body = Buffer.alloc(5_000_000, 'x');
  const put = await refused('/v2/fs/upload?path=/home/sandbox/small/old', { method: 'PUT', body });
  expect(put).toMatchObject([507, 'no_space_left', { data: { errno_name: 'ENOSPC' } }]);
  const tar = await sandbox().shell(
    'head -c 5000000 /dev/zero > /tmp/big && tar -C /tmp -cf /tmp/big.tar big && stat -c %s /tmp/big.tar',
  );
  expect(Number(tar)).toBeGreaterThan(5_000_000);
  const archive = await (await sandbox().fetch('/v2/fs/download?path=/tmp/big.tar')).arrayBuffer();
  const tree = await refused('/v2/fs/tree?path=/home/sandbox/small/t', { method: 'PUT', body: archive });
  expect(tree).toMatchObject([507, 'no_space_left', { data: { errno_name: 'ENOSPC' } }]);
  expect(await sandbox().shell('ls -A /home/sandbox/small; cat /home/sandbox/small/old')).toBe('old\nold');
});

test('[images.files-owner] created objects and their parents belong to the default user; with sudo of v1 to root', async () => {
  await sandbox().post('/v2/fs/write', { path: '/home/sandbox/o/a/f', content: '' });
  await sandbox().post('/v2/fs/mkdir', { path: '/home/sandbox/o/d' });
  await sandbox().post('/v2/fs/copy', { source: '/etc/hostname', destination: '/home/sandbox/o/copy' });
  await sandbox().post('/v1/file/write', { file: '/home/sandbox/o/root', content: '', sudo: true });
  for (const route of ['upload?path=/home/sandbox/o/put', 'upload?path=/home/sandbox/o/daemon&user=daemon'])
    expect((await sandbox().fetch(`/v2/fs/${route}`, { method: 'PUT', body: 'x' })).status).toBe(200);
  const tar = await (await sandbox().fetch('/v2/fs/tree?path=/etc/skel')).arrayBuffer();
  expect((await sandbox().fetch('/v2/fs/tree?path=/home/sandbox/o/t', { method: 'PUT', body: tar })).status).toBe(200);
  const owners = await sandbox().shell("cd /home/sandbox && find o -printf '%u\\n' | sort | uniq -c | tr -s ' '");
  const entries = Number(await sandbox().shell('find /home/sandbox/o/t | wc -l'));
  expect(owners.split('\n').map((line) => line.trim())).toEqual(['1 daemon', '1 root', `${entries + 6} sandbox`]);
});

test('[images.checkpoint] a checkpoint of the home is restored as the account, and files of root stay', async () => {
  const project = '/home/sandbox/project';
  await sandbox().run(
    `mkdir ${project} && cd ${project} && echo good > main.py && chmod 640 main.py && ln -s main.py link`,
  );
  await sandbox().shell(`cd ${project} && echo root > of-root && echo secret > secret && chmod 600 secret`);
  const taken = await sandbox().post<Taken>('/v2/checkpoints', { path: project });
  expect([taken.files, taken.left_out]).toEqual([3, [{ path: 'secret', reason: 'EACCES' }]]);
  await sandbox().run(`cd ${project} && echo broken > main.py && rm link && touch new`);
  await sandbox().shell(`cd ${project} && echo changed | tee of-root secret`);
  const answer = await sandbox().fetch(`/v2/checkpoints/${taken.id}/diff`);
  const { data } = (await answer.json()) as { data: { changes: readonly { type: string; path: string }[] } };
  expect(data.changes.map(({ type, path }) => `${type} ${path}`)).toEqual([
    'removed link',
    'modified main.py',
    'added new',
    'modified of-root',
    'modified secret',
  ]);
  const restored = await sandbox().post<Restored>(`/v2/checkpoints/${taken.id}/restore`, { delete_new: true });
  const kept = restored.not_restored.map(({ path, reason }) => `${path} ${reason}`).sort();
  expect(kept).toEqual(['of-root EPERM', 'secret no content']);
  const now = await sandbox().shell(
    `cd ${project} && stat -c '%n %U %a' * && cat main.py of-root secret && readlink link`,
  );
  expect(now.split('\n')).toEqual([
    'link sandbox 777',
    'main.py sandbox 640',
    'of-root root 644',
    'secret root 600',
    'good',
    'changed',
    'changed',
    'main.py',
  ]);
  expect((await sandbox().run('ls /var/lib/svc/checkpoints')).exit_code).not.toBe(0);
});
