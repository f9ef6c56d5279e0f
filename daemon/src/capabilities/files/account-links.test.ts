import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { Homes } from './account.fixture.ts';
import { archive, imported } from './tree.fixture.ts';

type Call = (homes: Homes) => InjectOptions;

function post(route: string, body: object): InjectOptions {
  return { method: 'POST', url: route.startsWith('/') ? route : `/v2/fs/${route}`, payload: body };
}

function put(path: string, headers: Record<string, string> = {}): InjectOptions {
  return { method: 'PUT', url: '/v2/fs/upload', query: { path }, payload: 'new', headers };
}

function form(path: string): InjectOptions {
  const part = (name: string, more: string, body: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${body}\r\n`;
  const payload = `${part('path', '', path)}${part('file', '; filename="f"', 'new')}--b--\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  return { method: 'POST', url: '/v2/fs/upload', payload, headers };
}

function tree(path: string, name: string): InjectOptions {
  const payload = archive({ name, body: 'new' });
  return {
    method: 'PUT',
    url: '/v2/fs/tree',
    query: { path },
    payload,
    headers: { 'content-type': 'application/x-tar' },
  };
}

/** `to`: a link of the account to root's directory; `file`: one to a file in it. */
const to = (homes: Homes): string => homes.plant('to', homes.outside);
const file = (homes: Homes): string => homes.plant('file', join(homes.outside, 'kept'));
const setuid = (homes: Homes): string => homes.plant('file', join(homes.outside, 'setuid'));

const CALLS: readonly (readonly [string, Call])[] = [
  ['a write to a file', (homes) => post('write', { path: file(homes), content: 'new' })],
  ['an append', (homes) => post('write', { path: file(homes), content: 'new', append: true })],
  ['a write of a mode', (homes) => post('write', { path: file(homes), content: 'kept', mode: '0666' })],
  ['a write of a new file', (homes) => post('write', { path: join(to(homes), 'new'), content: 'new' })],
  ['a write below a new directory', (homes) => post('write', { path: join(to(homes), 'a/b/new'), content: 'new' })],
  [
    'a write where a link dangles',
    (homes) => post('write', { path: homes.plant('x', `${homes.outside}/x`), content: '' }),
  ],
  ['a write through links of links', (homes) => post('write', { path: homes.plant('y', file(homes)), content: 'new' })],
  ['an atomic write', (homes) => post('write', { path: file(homes), content: 'new', atomic: true })],
  ['an upload', (homes) => put(setuid(homes))],
  ['an upload of a new file', (homes) => put(join(to(homes), 'new'))],
  ['an upload in pieces', (homes) => put(setuid(homes), { 'content-range': 'bytes 0-2/3' })],
  ['an upload of a form', (homes) => form(setuid(homes))],
  ['mkdir', (homes) => post('mkdir', { path: join(to(homes), 'new') })],
  ['mkdir with parents', (homes) => post('mkdir', { path: join(to(homes), 'a/b'), parents: true })],
  ['a copy to a file', (homes) => copy('copy', homes.file('f'), file(homes))],
  ['a copy into a directory', (homes) => copy('copy', homes.file('f'), join(to(homes), 'new'))],
  ['a copy of a tree', (homes) => copy('copy', homes.directory('d'), join(to(homes), 'tree'))],
  ['a move into a directory', (homes) => copy('move', homes.file('f'), join(to(homes), 'kept'))],
  ['a move out of a directory', (homes) => copy('move', join(to(homes), 'kept'), join(homes.home, 'f'))],
  ['a delete', (homes) => post('delete', { path: join(to(homes), 'kept') })],
  ['a delete of a tree', (homes) => post('delete', { path: join(to(homes), 'tree'), recursive: true })],
  ['an import', (homes) => tree(to(homes), 'kept')],
  ['an import into a new directory', (homes) => tree(join(to(homes), 'new'), 'f')],
  ['an edit', (homes) => edit(file(homes), { command: 'str_replace', old_str: 'kept', new_str: 'new' })],
  ['an insert', (homes) => edit(file(homes), { command: 'insert', insert_line: 0, new_str: 'new' })],
];

const V1_CALLS: readonly (readonly [string, Call])[] = [
  ['replace', (homes) => post('/v1/file/replace', { file: file(homes), old_str: 'kept', new_str: 'new' })],
  ['a write with sudo', (homes) => post('/v1/file/write', { file: file(homes), content: 'new', sudo: true })],
  [
    'create of the editor',
    (homes) =>
      post('/v1/file/str_replace_editor', { command: 'create', path: join(to(homes), 'new'), file_text: 'new' }),
  ],
];

function copy(route: 'copy' | 'move', source: string, destination: string): InjectOptions {
  return post(route, { source, destination, overwrite: true });
}

function edit(path: string, body: object): InjectOptions {
  return post('edit', { path, ...body });
}

describe.runIf(process.getuid?.() === 0)('links of an account, where the daemon is root', () => {
  test.each(CALLS)('[fs.account-link] %s through one is 403 with a hint, and changes nothing', async (_name, call) => {
    await using homes = new Homes();
    await using daemon = await TestApp.start({ defaultUser: 'nobody' });
    const before = homes.state();
    const answer = await daemon.inject(call(homes));
    expect([answer.statusCode, answer.json()]).toEqual([
      403,
      expect.objectContaining({
        hint: expect.stringContaining('name the target itself'),
        data: expect.objectContaining({ error_type: 'permission_denied', errno_name: 'EACCES' }),
      }),
    ]);
    expect(homes.state()).toEqual(before);
  });

  test.each(V1_CALLS)('[fs.account-link] %s of v1 through one fails, and changes nothing', async (_name, call) => {
    await using homes = new Homes();
    await using daemon = await TestApp.start({ defaultUser: 'nobody' });
    const before = homes.state();
    const answer = await daemon.inject(call(homes));
    expect(answer.json()).toMatchObject({ success: false, data: { error_type: 'permission_denied' } });
    expect(homes.state()).toEqual(before);
  });

  test('[fs.account-link] what the account could write itself is written through its link', async () => {
    await using homes = new Homes();
    await using daemon = await TestApp.start({ defaultUser: 'nobody' });
    const shared = join(homes.base, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    const [toShared, toOwn] = [homes.plant('shared', shared), homes.plant('own', homes.file('f'))];
    for (const request of [
      post('write', { path: join(toShared, 'a/new'), content: 'new' }),
      post('write', { path: toOwn, content: 'new' }),
      put(toOwn),
      tree(join(toShared, 'tree'), 'f'),
      tree(join(toShared, 'tree'), 'g'),
      post('delete', { path: join(toShared, 'tree'), recursive: true }),
    ]) {
      expect((await daemon.inject(request)).json()).toMatchObject({ success: true });
    }
    expect([readFileSync(join(shared, 'a/new'), 'utf8'), readFileSync(toOwn, 'utf8')]).toEqual(['new', 'new']);
    expect(lstatSync(toOwn).isSymbolicLink()).toBe(true);
  });

  test('[fs.account-link] the target is changed where it is named itself, or by a link of root', async () => {
    await using homes = new Homes();
    await using daemon = await TestApp.start({ defaultUser: 'nobody' });
    symlinkSync(homes.outside, join(homes.base, 'of-root'));
    for (const path of [join(homes.outside, 'kept'), join(homes.base, 'of-root/kept')]) {
      const answer = await daemon.inject(post('write', { path, content: path }));
      expect([answer.statusCode, readFileSync(join(homes.outside, 'kept'), 'utf8')]).toEqual([200, path]);
    }
  });

  test('[fs.account-link] a directory that the account cannot enter keeps what lies in it from its links', async () => {
    await using homes = new Homes();
    await using daemon = await TestApp.start({ defaultUser: 'nobody' });
    chmodSync(join(homes.outside, 'tree'), 0o777);
    const path = join(homes.plant('deep', join(homes.outside, 'tree')), 'new');
    chmodSync(homes.outside, 0o700);
    expect((await daemon.inject(post('write', { path, content: 'new' }))).statusCode).toBe(403);
    chmodSync(homes.outside, 0o711);
    expect((await daemon.inject(post('write', { path, content: 'new' }))).statusCode).toBe(200);
  });

  test('[fs.account-link] a sticky directory keeps entries of others from its links', async () => {
    await using homes = new Homes();
    await using daemon = await TestApp.start({ defaultUser: 'nobody' });
    chmodSync(homes.outside, 0o1777);
    const path = join(to(homes), 'kept');
    const before = homes.state();
    expect((await daemon.inject(post('delete', { path }))).statusCode).toBe(403);
    expect((await daemon.inject(copy('move', homes.file('f'), path))).statusCode).toBe(403);
    expect(homes.state()).toEqual(before);
    expect((await daemon.inject(post('mkdir', { path: join(homes.home, 'to/new') }))).statusCode).toBe(200);
  });

  test('[fs.account-link] a merge through one changes no directory below that the account cannot write', async () => {
    await using homes = new Homes();
    await using daemon = await TestApp.start({ defaultUser: 'nobody' });
    chmodSync(homes.outside, 0o777);
    const before = homes.state();
    const payload = archive({ name: 'tree/kept', body: 'new' }, { name: 'first', body: 'new' });
    expect((await imported(daemon, to(homes), payload)).statusCode).toBe(403);
    expect(homes.state()).toEqual(before);
  });

  test('[fs.owner] directories that are made in one of the account belong to it', async () => {
    await using homes = new Homes();
    await using daemon = await TestApp.start({ defaultUser: 'nobody' });
    const path = join(homes.home, 'a/b');
    expect((await daemon.inject(post('mkdir', { path, parents: true }))).statusCode).toBe(200);
    const { uid, mode } = statSync(path);
    expect([uid, mode & 0o777, statSync(join(homes.home, 'a')).uid]).toEqual([
      homes.account.uid,
      0o777 & ~process.umask(),
      homes.account.uid,
    ]);
    expect((await daemon.inject(post('mkdir', { path }))).statusCode).toBe(409);
  });
});
