import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { lookUpIdentity } from '../../core/account/identity.ts';

const home = mkdtempSync(join(tmpdir(), 'home-'));
vi.stubEnv('HOME', home);
mkdirSync(join(home, 'd'));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

/** Commands run as the account of the daemon, whose home is `HOME`. */
const start = () => TestApp.start({ defaultUser: undefined });

test('[manners.shell-paths] every route of files resolves ~ and relative paths, and answers absolute ones', async () => {
  await using daemon = await start();
  const named = async (url: string, body: object) => (await daemon.post(url, body)).json().data;
  expect((await named('/v2/fs/write', { path: 'd/a', content: 'hello' })).path).toBe(`${home}/d/a`);
  for (const [url, ...fields] of [
    ['/v2/fs/read?path=~/d/a', 'path', 'file'],
    ['/v2/fs/stat?path=./d/a', 'path'],
    ['/v2/fs/list?path=d', 'path'],
  ] as const) {
    const { data } = (await daemon.inject(url)).json();
    for (const field of fields) expect([url, data[field]]).toEqual([url, `${home}/d${url.endsWith('a') ? '/a' : ''}`]);
  }
  expect((await daemon.inject('/v2/fs/download?path=d/a')).body).toBe('hello');
  expect((await daemon.inject('/v2/fs/search?path=~&pattern=a')).json().data.files).toEqual([`${home}/d/a`]);
  expect((await named('/v2/fs/grep', { path: '~', pattern: 'hel+o' })).matches[0].file).toBe(`${home}/d/a`);
  const edit = { path: 'd/a', command: 'str_replace', old_str: 'hello', new_str: 'bye' };
  expect((await named('/v2/fs/edit', edit)).path).toBe(`${home}/d/a`);
  const ends = { source: '~/d/a', destination: 'd/b' };
  expect(await named('/v2/fs/copy', ends)).toMatchObject({ source: `${home}/d/a`, destination: `${home}/d/b` });
  expect(await named('/v2/fs/move', { source: 'd/b', destination: '~/c' })).toMatchObject({ destination: `${home}/c` });
  expect((await named('/v2/fs/mkdir', { path: 'e/f', parents: true })).path).toBe(`${home}/e/f`);
  expect((await named('/v2/fs/delete', { path: 'e', recursive: true })).path).toBe(`${home}/e`);
  const put = await daemon.inject({ method: 'PUT', url: '/v2/fs/upload?path=~/put', payload: 'x' });
  expect(put.json().data.file_path).toBe(`${home}/put`);
  const tar = (await daemon.inject('/v2/fs/tree?path=d')).rawPayload;
  const headers = { 'content-type': 'application/x-tar' };
  const tree = await daemon.inject({ method: 'PUT', url: '/v2/fs/tree?path=t', payload: tar, headers });
  expect(tree.json().data.path).toBe(`${home}/t`);
  expect(readFileSync(join(home, 't/a'), 'utf8')).toBe('bye');
  const { watcher_id } = await named('/v2/watch', { path: '~/d' });
  expect((await daemon.inject('/v2/watch')).json().data.watchers[0]).toMatchObject({ watcher_id, path: `${home}/d` });
});

test('[manners.shell-paths] the path of a form is one of a shell, in the query and in the form', async () => {
  await using daemon = await start();
  const upload = async (query: string, path?: string) => {
    const data = new FormData();
    if (path !== undefined) data.append('path', path);
    data.append('file', new Blob(['x']), 'x');
    const form = new Response(data);
    const headers = { 'content-type': form.headers.get('content-type') ?? '' };
    const payload = Buffer.from(await form.arrayBuffer());
    return (await daemon.inject({ method: 'POST', url: `/v2/fs/upload${query}`, headers, payload })).json().data?.path;
  };
  expect(await upload('?path=~/u1')).toBe(`${home}/u1`);
  expect(await upload('', 'u2')).toBe(`${home}/u2`);
  expect(await upload('?path=~/u3', 'u3')).toBe(`${home}/u3`);
});

test('[manners.shell-paths] the account of a call is that of its ~', async () => {
  await using daemon = await start();
  const root = lookUpIdentity('root').home;
  const stat = async (query: string) => (await daemon.inject(`/v2/fs/stat?${query}`)).json();
  expect((await stat('path=~&user=root')).data.path).toBe(root);
  expect((await stat('path=~root')).data.path).toBe(root);
  expect((await stat('path=~no-such-account')).data).toMatchObject({ error_type: 'invalid_path' });
  expect((await stat('path=~no-such-account')).hint).toContain('./~no-such-account');
  expect((await stat('path=~&user=no-such-account')).message).toContain('user does not exist');
});

test('[manners.shell-paths] cwd is resolved from the directory of the session, else from the home', async () => {
  await using daemon = await start();
  const pwd = async (more: object) => (await daemon.run('pwd', more)).stdout.trim();
  expect([await pwd({ cwd: '~' }), await pwd({ cwd: 'd' }), await pwd({ cwd: '~/d/..' })]).toEqual([
    home,
    join(home, 'd'),
    home,
  ]);
  mkdirSync(join(home, 'd/deep'), { recursive: true });
  const session = (await daemon.post('/v2/commands/sessions', { id: 's', cwd: 'd' })).json().data;
  expect(session.working_dir).toBe(join(home, 'd'));
  expect(await pwd({ cwd: 'deep', session: 's' })).toBe(join(home, 'd/deep'));
  expect(await pwd({ cwd: '~/d', session: 's' })).toBe(join(home, 'd'));
  const terminal = (await daemon.post('/v2/pty/sessions', { cwd: '~/d' })).json().data;
  expect(terminal.working_dir).toBe(join(home, 'd'));
  const cell = { language: 'bash', code: 'pwd', cwd: 'd' };
  expect((await daemon.post('/v2/code/execute', cell)).json().data.stdout).toBe(`${join(home, 'd')}\n`);
});

test('[manners.shell-paths] paths of 1.x and of tickets are absolute', async () => {
  await using daemon = await start();
  writeFileSync(join(home, 'v1'), 'x');
  for (const file of ['~/v1', 'v1']) {
    expect((await daemon.post('/v1/file/read', { file })).json()).toMatchObject({
      success: false,
      data: { error_type: 'invalid_path' },
    });
  }
  for (const exec_dir of ['~', 'd']) {
    const answer = await daemon.post('/v1/bash/exec', { command: 'pwd', exec_dir });
    expect([answer.statusCode, answer.json().message]).toEqual([400, `exec_dir is not an absolute path: ${exec_dir}`]);
  }
  expect((await daemon.post('/v1/file/write', { file: 'new', content: '' })).json().success).toBe(false);
  expect(existsSync(join(home, 'new'))).toBe(false);
  expect((await daemon.post('/v2/tickets', { path_prefix: '~' })).statusCode).toBe(422);
});
