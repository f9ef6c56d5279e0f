import { expect, test } from 'vitest';
import { expectValid } from '../../daemon/src/wire.fixture.ts';
import { NO_BROWSER, NO_KERNELS, sharedSandbox } from './sandbox.ts';

const sandbox = sharedSandbox({ env: { ...NO_BROWSER, ...NO_KERNELS } });

const HOME = '/home/sandbox';
const REPO = `${HOME}/repo`;
const FILES = 20_000;

/** A history with every kind of entry in git: many small files, links, executables, long and non-UTF-8 names. */
const MAKE_ORIGIN = `
import os, random
os.makedirs('made/deep/' + '/'.join('level%d' % n for n in range(30)))
for d in range(${FILES / 100}):
    os.mkdir('made/d%03d' % d)
    for f in range(100):
        with open('made/d%03d/file%02d.py' % (d, f), 'w') as out:
            out.write('# %d %d\\n' % (d, f) + 'value = %d\\n' % (d * f) * (f % 20))
    os.symlink('../d%03d/file01.py' % ((d + 7) % ${FILES / 100}), 'made/d%03d/link' % d)
    os.chmod('made/d%03d/file02.py' % d, 0o755)
for n in range(20):
    open('made/' + 'n' * 180 + '%d' % n, 'w').write('long')
os.symlink('t' * 180, 'made/longlink')
open(b'made/not-\\xff-utf8', 'w').write('bytes')
open('made/deep/' + '/'.join('level%d' % n for n in range(30)) + '/bottom', 'w').write('bottom')
open('made/binary', 'wb').write(random.Random(7).randbytes(3000000))
`;

/** Properties of a working copy that git does not store: hard links, modes, times, empty directories, an owner. */
const DRESS = `cd ${REPO}
for n in 1 2 3 4 5 6 7 8 9; do ln d00$n/file03.py d01$n/same; done
chmod 600 d020/file01.py; chmod 4755 d020/file02.py; chmod 444 d020/file03.py
touch -d 1960-01-01 d020/file04.py; touch -d 2001-09-09 d020
mkdir empty locked; touch locked/in; chmod 555 locked
chown daemon:daemon d020/file05.py`;

/** Lists names, types, modes, sizes, links, owners, times in seconds and link counts of a tree. */
const DESCRIBE = `cd ${REPO} && find . -printf '%p %y %m %s %l %u %g %T@ %n\\n' | \
  sed -E 's/^(.* d [0-7]+ )[0-9]+/\\1/; s/\\.[0-9]{10}( [0-9]+)$/\\1/' | sort`;

async function v1<T>(route: string, body: object, headers: Record<string, string> = {}): Promise<T> {
  const answer = await sandbox().fetch(`/v1/file/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const { success, message, data } = (await answer.json()) as { success: boolean; message: string; data: T };
  expect([route, answer.status, success ? '' : message]).toEqual([route, 200, '']);
  return data;
}

async function v2<T>(route: string, query: Record<string, string>): Promise<T> {
  const answer = await sandbox().fetch(`/v2/fs/${route}?${new URLSearchParams(query)}`);
  expect([route, answer.status]).toEqual([route, 200]);
  return ((await answer.json()) as { data: T }).data;
}

let origin: Promise<void> | undefined;

/** Clones the origin, which the first call creates. */
async function clone(name: string): Promise<void> {
  origin ??= succeed(
    // Without git's maintenance, which would go on writing while its directory is removed.
    `cat > make.py && python3 make.py && git init -q -b main made && cd made && git config maintenance.auto false && \
      git config gc.auto 0 && git add -A && git -c user.name=n -c user.email=e@x commit -qm all && cd .. && \
      git clone -q --bare made origin.git && rm -rf made`,
    MAKE_ORIGIN,
  );
  await origin;
  await succeed(`git clone -q file://${HOME}/origin.git ${name}`);
}

async function succeed(command: string, stdin?: string): Promise<void> {
  const ran = await sandbox().run(command, { timeout: 250, ...(stdin !== undefined && { stdin }) });
  expect(ran).toMatchObject({ status: 'completed', exit_code: 0 });
}

test('[images.repository] a cloned repository is identical after an export, a deletion and an import', {
  timeout: 300_000,
}, async () => {
  await clone('repo');
  await sandbox().shell(DRESS);
  await sandbox().shell(`cp -a ${REPO} /tmp/original`);
  const before = await sandbox().shell(DESCRIBE);
  expect(before.split('\n').length).toBeGreaterThan(FILES);

  const exported = await sandbox().fetch(`/v2/fs/tree?path=${REPO}`);
  expect(exported.status).toBe(200);
  const tar = await exported.arrayBuffer();
  await sandbox().post('/v2/fs/delete', { path: REPO, recursive: true });
  expect(await sandbox().shell(`ls -A ${HOME} | grep -E 'repo|svc-upload' || echo gone`)).toBe('gone');
  const imported = await sandbox().fetch(`/v2/fs/tree?path=${REPO}&keep_owners=true`, { method: 'PUT', body: tar });
  expect([imported.status, await imported.json()]).toMatchObject([
    200,
    { data: { mode: 'rename', entries: before.split('\n').length, skipped_count: 0 } },
  ]);

  expect((await sandbox().shell(DESCRIBE)).split('\n')).toEqual(before.split('\n'));
  expect(await sandbox().shell(`diff -r --no-dereference /tmp/original ${REPO}; rm -r /tmp/original`)).toBe('');
  const git = await sandbox().run('git fsck --strict && git status --porcelain --untracked-files=no', {
    cwd: REPO,
    timeout: 250,
  });
  expect([git.exit_code, git.stdout]).toEqual([0, '']);
});

test('[images.repository] edits by clients of 1.x and v2 are the only changes in git status', {
  timeout: 300_000,
}, async () => {
  await clone('edited');
  const at = (name: string): string => `${HOME}/edited/${name}`;
  const [one, two, three, four] = [at('d001/file01.py'), at('d002/file02.py'), at('new/of-1.x.py'), at('new/of-v2.py')];

  const created = await v1('str_replace_editor', { command: 'create', path: three, file_text: 'a = 1\nb = 2\n' });
  expectValid('StrReplaceEditorResult', created);
  const edit = { command: 'str_replace', path: three, old_str: 'b = 2', new_str: 'b = 3' };
  expectValid('StrReplaceEditorResult', await v1('str_replace_editor', edit));
  await v1('str_replace_editor', { command: 'insert', path: three, insert_line: 0, new_str: '# top' });
  await v1('str_replace_editor', { command: 'undo_edit', path: three });
  const viewed = await v1<{ output: string }>('str_replace_editor', { command: 'view', path: three });
  expect(viewed.output).toContain('     1\ta = 1\n     2\tb = 3\n');
  expectValid('FileWriteResult', await v1('write', { file: one, content: '# appended\n', append: true }));
  const replaced = await v1<{ replaced_count: number }>('replace', { file: two, old_str: '# 2 2', new_str: '# two' });
  expectValid('FileReplaceResult', replaced);
  expect(replaced.replaced_count).toBe(1);
  const found = await v1('search', { file: two, regex: '^# \\w+$' }, { 'x-fern-language': 'Python' });
  expectValid('FileSearchResult', found);
  expect(found).toMatchObject({ matches: ['# two'], line_numbers: [0] });
  expectValid('FileFindResult', await v1('find', { path: at('d003'), glob: '*.py' }));
  const listed = await v1<{ total_count: number }>('list', { path: at('d003') });
  expectValid('FileListResult', listed);
  expect(listed.total_count).toBe(101);

  await sandbox().post('/v2/fs/write', { path: four, content: 'c = 1\n', atomic: true });
  await sandbox().post('/v2/fs/edit', { path: four, command: 'str_replace', old_str: '1', new_str: '2' });
  const { etag } = await v2<{ etag: string }>('stat', { path: four });
  await sandbox().post('/v2/fs/write', { path: four, content: 'd = 3\n', append: true, if_match: etag });
  const stale = await sandbox().fetch('/v2/fs/write', {
    method: 'POST',
    body: JSON.stringify({ path: four, content: '', if_match: etag }),
  });
  expect([stale.status, await v2('read', { path: four })]).toMatchObject([409, { content: 'c = 2\nd = 3\n' }]);
  const grep = await sandbox().post<{ match_count: number; files_searched: number }>('/v2/fs/grep', {
    path: at(''),
    pattern: '^# (two|appended)$',
    exclude: ['.git'],
  });
  expect(grep.match_count).toBe(2);
  expect(grep.files_searched).toBeGreaterThan(FILES);
  await sandbox().post('/v2/fs/move', { source: at('d004'), destination: at('moved') });
  await sandbox().post('/v2/fs/delete', { path: at('d005/file99.py') });

  const { stdout } = await sandbox().run(
    'git add -A && git status --porcelain | grep -v "^R" && git diff --cached -M --stat | tail -1',
    {
      cwd: at(''),
      timeout: 250,
    },
  );
  expect(stdout.split('\n').slice(0, -2).sort()).toEqual([
    'A  new/of-1.x.py',
    'A  new/of-v2.py',
    'D  d005/file99.py',
    'M  d001/file01.py',
    'M  d002/file02.py',
  ]);
});
