import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { hasKeeper } from '../../../hosts.fixture.ts';

async function create(app: TestApp, body: object, query = ''): Promise<{ id: string } & Record<string, unknown>> {
  const answer = await app.post(`/v2/checkpoints${query}`, body);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().data;
}

describe.runIf(hasKeeper)('checkpoints', () => {
  test('[checkpoint.diff] [checkpoint.before] a broken project is compared and restored', async () => {
    await using directory = await tempDir();
    const root = directory.path;
    mkdirSync(join(root, 'src'));
    writeFileSync(join(root, 'src/main.py'), 'print(1)\n');
    writeFileSync(join(root, 'README'), 'read me\n');
    await using app = await TestApp.start();
    const { id } = await create(app, { path: root, label: 'works' });
    rmSync(join(root, 'README'));
    writeFileSync(join(root, 'src/main.py'), 'broken\n');
    writeFileSync(join(root, 'new'), 'new\n');

    const diff = (await app.inject(`/v2/checkpoints/${id}/diff`)).json().data;
    const types = diff.changes.map(({ type, path }: { type: string; path: string }) => [type, path]);
    expect(types).toEqual([
      ['removed', 'README'],
      ['added', 'new'],
      ['modified', 'src/main.py'],
    ]);
    expect(diff).toMatchObject({ from: id, to: 'now', added: 1, removed: 1, modified: 1, truncated: false });

    const dry = await app.post(`/v2/checkpoints/${id}/restore`, { dry_run: true, delete_new: true });
    expect(dry.json().data).toMatchObject({ checkpoint_before: null, not_restored: [] });
    expect(existsSync(join(root, 'new'))).toBe(true);

    const restored = await app.post(`/v2/checkpoints/${id}/restore`, { delete_new: true });
    expect(restored.json().data.not_restored).toEqual([]);
    expect(readFileSync(join(root, 'src/main.py'), 'utf8')).toBe('print(1)\n');
    expect([existsSync(join(root, 'README')), existsSync(join(root, 'new'))]).toEqual([true, false]);

    const before = restored.json().data.checkpoint_before.id;
    await app.post(`/v2/checkpoints/${before}/restore`);
    expect(readFileSync(join(root, 'src/main.py'), 'utf8')).toBe('broken\n');
    const list = (await app.inject('/v2/checkpoints')).json().data;
    expect(list.checkpoints.map(({ origin }: { origin: string }) => origin)).toEqual(['restore', 'restore', 'manual']);
  });

  test('[checkpoint.paths] paths and delete_new restrict a restore', async () => {
    await using directory = await tempDir();
    const root = directory.path;
    mkdirSync(join(root, 'a'));
    for (const name of ['a/one', 'two']) writeFileSync(join(root, name), 'before');
    await using app = await TestApp.start();
    const { id } = await create(app, { path: root });
    for (const name of ['a/one', 'a/added', 'two']) writeFileSync(join(root, name), 'after');
    const answer = await app.post(`/v2/checkpoints/${id}/restore`, { paths: [join(root, 'a')] });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(['a/one', 'a/added', 'two'].map((name) => readFileSync(join(root, name), 'utf8'))).toEqual([
      'before',
      'after',
      'after',
    ]);
    const outside = await app.post(`/v2/checkpoints/${id}/restore`, { paths: ['/etc/passwd'] });
    expect(outside.statusCode).toBe(400);
    expect(outside.json().message).toContain('paths is not below the directory of the checkpoint');
    expect((await app.post(`/v2/checkpoints/${id}/restore`, { paths: ['a/../../x'] })).statusCode).toBe(400);
  });

  test('[checkpoint.file] a file is read as it was, holes included', async () => {
    await using directory = await tempDir();
    const root = directory.path;
    const bytes = Buffer.concat([Buffer.alloc(9 * 1024 ** 2), Buffer.from('end')]);
    await using app = await TestApp.start();
    await app.run(`truncate -s 9437184 ${root}/sparse && printf end >> ${root}/sparse`);
    const { id, stored_bytes: stored } = await create(app, { path: root });
    expect(stored).toBeLessThan(1024 ** 2);
    writeFileSync(join(root, 'sparse'), 'gone');
    const answer = await app.inject(`/v2/checkpoints/${id}/files?path=sparse`);
    expect(answer.headers['content-length']).toBe(String(bytes.length));
    expect(answer.rawPayload.equals(bytes)).toBe(true);
    expect((await app.inject(`/v2/checkpoints/${id}/files?path=none`)).statusCode).toBe(404);
    expect((await app.inject(`/v2/checkpoints/${id}/files?path=.`)).statusCode).toBe(400);
    await app.post(`/v2/checkpoints/${id}/restore`);
    expect(readFileSync(join(root, 'sparse')).equals(bytes)).toBe(true);
    expect(lstatSync(join(root, 'sparse')).blocks).toBeLessThan(100);
  });

  test('a checkpoint is listed, inspected and deleted; an unknown one is 404', async () => {
    await using directory = await tempDir();
    writeFileSync(join(directory.path, 'one'), 'one');
    await using app = await TestApp.start();
    const ids = [];
    for (let index = 0; index < 3; index += 1) ids.unshift((await create(app, { path: directory.path })).id);
    const page = (await app.inject('/v2/checkpoints?limit=2')).json().data;
    expect(page).toMatchObject({ total_count: 3, cursor: ids[1] });
    const next = (await app.inject(`/v2/checkpoints?limit=2&cursor=${ids[1]}`)).json().data;
    expect(next.checkpoints.map(({ id }: { id: string }) => id)).toEqual([ids[2]]);
    expect((await app.inject({ method: 'DELETE', url: `/v2/checkpoints/${ids[0]}` })).statusCode).toBe(200);
    expect((await app.inject(`/v2/checkpoints/${ids[0]}`)).statusCode).toBe(404);
    const gone = await app.inject(`/v2/checkpoints?cursor=${ids[0]}`);
    expect([gone.statusCode, gone.json().message]).toEqual([
      400,
      expect.stringContaining('cursor is not a checkpoint'),
    ]);
    expect((await app.inject(`/v2/checkpoints/${ids[1]}`)).json().data.files).toBe(1);
    expect((await app.inject(`/v2/checkpoints/${ids[1]}/diff?to=cp-none`)).statusCode).toBe(404);
    expect((await app.post('/v2/checkpoints', { path: join(directory.path, 'none') })).statusCode).toBe(404);
    expect((await app.post('/v2/checkpoints', { path: join(directory.path, 'one') })).statusCode).toBe(400);
    expect((await app.post('/v2/checkpoints', { path: '/proc' })).json().message).toBe('path cannot be listed: EXDEV');
  });

  test('[checkpoint.scope] a key of one directory neither takes nor sees checkpoints of another one', async () => {
    await using directory = await tempDir();
    for (const name of ['mine', 'other']) mkdirSync(join(directory.path, name));
    const accessKeysFile = join(directory.path, 'keys');
    const keys = [
      { name: 'all', key: 'key-of-all', scopes: ['all'] },
      { name: 'mine', key: 'key-of-mine', scopes: [`files:${join(directory.path, 'mine')}`] },
    ];
    writeFileSync(accessKeysFile, keys.map((key) => `${JSON.stringify(key)}\n`).join(''));
    await using app = await TestApp.start({ accessKeysFile });
    const all = { 'x-api-key': 'key-of-all' };
    const mine = { 'x-api-key': 'key-of-mine' };
    const other = await app.post('/v2/checkpoints', { path: join(directory.path, 'other') }, all);
    const own = await app.post('/v2/checkpoints', { path: join(directory.path, 'mine') }, mine);
    expect([other.statusCode, own.statusCode]).toEqual([200, 200]);
    const refused = await app.post('/v2/checkpoints', { path: join(directory.path, 'other') }, mine);
    expect(refused.statusCode).toBe(403);
    const missing = await app.post('/v2/checkpoints', { path: join(directory.path, 'missing') }, mine);
    expect(missing.statusCode).toBe(403);
    const asRoot = await app.post('/v2/checkpoints?user=root', { path: join(directory.path, 'mine') }, mine);
    expect([asRoot.statusCode, asRoot.json().message]).toEqual([403, expect.stringContaining('key for files alone')]);
    const { id } = other.json().data;
    for (const url of [`/v2/checkpoints/${id}`, `/v2/checkpoints/${id}/diff`, `/v2/checkpoints/${id}/files?path=x`])
      expect((await app.inject({ url, headers: mine })).statusCode).toBe(403);
    expect((await app.post(`/v2/checkpoints/${id}/restore`, {}, mine)).statusCode).toBe(403);
    expect((await app.inject({ method: 'DELETE', url: `/v2/checkpoints/${id}`, headers: mine })).statusCode).toBe(403);
    const list = (await app.inject({ url: '/v2/checkpoints', headers: mine })).json().data;
    expect(list.checkpoints.map((one: { id: string }) => one.id)).toEqual([own.json().data.id]);
  });

  test.runIf(process.getuid?.() === 0)('[checkpoint.account] an account reads and changes what it may', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'tree');
    chmodSync(directory.path, 0o755);
    mkdirSync(root);
    chownSync(root, 5, 60);
    for (const name of ['own', 'secret', 'of-root']) writeFileSync(join(root, name), 'before');
    chownSync(join(root, 'own'), 5, 60);
    chmodSync(join(root, 'secret'), 0o600);
    await using app = await TestApp.start();
    const taken = await create(app, { path: root }, '?user=games');
    expect(taken['left_out']).toEqual([{ path: 'secret', reason: 'EACCES' }]);
    for (const name of ['own', 'secret', 'of-root']) writeFileSync(join(root, name), 'after');
    const { data } = (await app.post(`/v2/checkpoints/${taken.id}/restore?user=games`)).json();
    const reasons = data.not_restored.map(({ path, reason }: { path: string; reason: string }) => [path, reason]);
    expect(reasons.sort()).toEqual([
      ['of-root', 'EPERM'],
      ['secret', 'no content'],
    ]);
    expect(['own', 'secret', 'of-root'].map((name) => readFileSync(join(root, name), 'utf8'))).toEqual([
      'before',
      'after',
      'after',
    ]);
    expect(lstatSync(join(root, 'own')).uid).toBe(5);
  });
});

test('[checkpoint.off] the calls answer 501 if they are off, or without the program', async () => {
  for (const more of [{ checkpoints: 'off' }, { keeperProgram: '/nowhere/keeper' }] as const) {
    await using app = await TestApp.start({ ...more, processHost: 'portable' });
    const answers = [await app.post('/v2/checkpoints'), await app.inject('/v2/checkpoints')];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([501, 501]);
    expect(answers[0]?.json().hint).toMatch(/SVC_CHECKPOINTS=manual|gcc/);
  }
});
