import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { lookUpIdentity } from '../../../core/account/identity.ts';
import { describe, expect, failure, get, post, test } from '../files.fixture.ts';

const WRITE = '/v2/fs/write';

describe('in place', () => {
  test('[fs.parents] [fs.write-fields] it makes missing parents and answers what it wrote', async ({ daemon, dir }) => {
    const path = join(dir, 'a/b/f');
    const written = await post(daemon, 'write', { path, content: 'ä' });
    expect(written).toEqual({
      path,
      file: path,
      bytes_written: 2,
      created: true,
      etag: expect.stringMatching(/^".+"$/),
    });
    expect((await get(daemon, 'stat', { path })).etag).toBe(written.etag);
    const appended = { path, content: 'x', append: true, leading_newline: true, trailing_newline: true };
    expect(await post(daemon, 'write', appended)).toMatchObject({ bytes_written: 3, created: false });
    expect(readFileSync(path, 'utf8')).toBe('ä\nx\n');
    expect((await post(daemon, 'write', { path, content: '' })).bytes_written).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  test('[fs.write-encodings] [file-error.bad-request] content comes as text, in base64, or a byte a character', async ({
    daemon,
    dir,
  }) => {
    const path = join(dir, 'f');
    await post(daemon, 'write', { path, content: Buffer.from([0, 255, 10]).toString('base64'), encoding: 'base64' });
    expect(readFileSync(path)).toEqual(Buffer.from([0, 255, 10]));
    await post(daemon, 'write', { path, content: 'a\u00ff', encoding: 'raw' });
    expect(readFileSync(path)).toEqual(Buffer.from([97, 255]));
    const bad = { status: 400, type: 'bad_request' };
    expect(await failure(daemon.post(WRITE, { path, content: '\u20ac', encoding: 'raw' }))).toEqual(bad);
    expect(await failure(daemon.post(WRITE, { path, content: 'no base64!', encoding: 'base64' }))).toEqual(bad);
    expect((await daemon.post(WRITE, { path, content: 'x', encoding: 'utf-7' })).json().errors[0].location).toEqual([
      'body',
      'encoding',
    ]);
    expect((await daemon.post(WRITE, { path })).statusCode).toBe(422);
  });

  test('[fs.write-keeps-inode] an existing file keeps its inode and mode; mode changes it', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'longer than before');
    chmodSync(path, 0o640);
    const { ino } = statSync(path);
    await post(daemon, 'write', { path, content: 'new' });
    expect([statSync(path).ino, statSync(path).mode & 0o777, readFileSync(path, 'utf8')]).toEqual([ino, 0o640, 'new']);
    await post(daemon, 'write', { path, content: 'new', mode: '0755' });
    expect(statSync(path).mode & 0o7777).toBe(0o755);
    await post(daemon, 'write', { path: join(dir, 'g'), content: '', mode: 0o600 });
    expect(statSync(join(dir, 'g')).mode & 0o7777).toBe(0o600);
    expect((await daemon.post(WRITE, { path, content: '', mode: '9' })).statusCode).toBe(422);
  });

  test('a link is followed, also to a file that is not there yet', async ({ daemon, dir }) => {
    mkdirSync(join(dir, 'd'));
    symlinkSync('d/f', join(dir, 'link'));
    await post(daemon, 'write', { path: join(dir, 'link'), content: 'x' });
    expect(readFileSync(join(dir, 'd/f'), 'utf8')).toBe('x');
    symlinkSync('loop', join(dir, 'loop'));
    expect(await failure(daemon.post(WRITE, { path: join(dir, 'loop'), content: '' }))).toEqual({
      status: 400,
      type: 'invalid_path',
    });
  });

  test('what is no file is refused', async ({ daemon, dir }) => {
    for (const path of [dir, `${dir}/new/`, '/dev/null', '/dev/full']) {
      expect(await failure(daemon.post(WRITE, { path, content: 'x' }))).toEqual({
        status: 400,
        type: 'invalid_target',
      });
    }
    writeFileSync(join(dir, 'f'), '');
    expect(await failure(daemon.post(WRITE, { path: join(dir, 'f/g'), content: 'x' }))).toEqual({
      status: 400,
      type: 'invalid_target',
    });
  });

  test('64 callers write 64 files of 1 MB each', async ({ daemon, dir }) => {
    const content = 'x'.repeat(1_000_000);
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) => daemon.post(WRITE, { path: join(dir, `${at}`), content: content + at })),
    );
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
    for (let at = 0; at < 64; at += 1) expect(readFileSync(join(dir, `${at}`), 'utf8')).toBe(content + at);
  });
});

describe('atomically', () => {
  test('[fs.write-atomic] the file is replaced, keeps its mode, and nothing else is left', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'old');
    chmodSync(path, 0o604);
    symlinkSync('f', join(dir, 'link'));
    const { ino } = statSync(path);
    const written = await post(daemon, 'write', { path: join(dir, 'link'), content: 'new', atomic: true });
    expect([
      readFileSync(path, 'utf8'),
      statSync(path).mode & 0o777,
      lstatSync(join(dir, 'link')).isSymbolicLink(),
    ]).toEqual(['new', 0o604, true]);
    expect(statSync(path).ino).not.toBe(ino);
    expect((await get(daemon, 'stat', { path })).etag).toBe(written.etag);
    await post(daemon, 'write', { path, content: '+', atomic: true, append: true });
    expect(readFileSync(path, 'utf8')).toBe('new+');
    await post(daemon, 'write', { path: join(dir, 'sub/g'), content: '', atomic: true });
    expect(statSync(join(dir, 'sub/g')).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(readdirSync(dir).sort()).toEqual(['f', 'link', 'sub']);
  });

  test('it is refused before anything is written for what is no file', async ({ daemon, dir }) => {
    expect(await failure(daemon.post(WRITE, { path: dir, content: 'x', atomic: true }))).toEqual({
      status: 400,
      type: 'invalid_target',
    });
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('preconditions', () => {
  test('[fs.if-match] [status.if-match-409-412] the field answers 409, the header 412, and both name the etag', async ({
    daemon,
    dir,
  }) => {
    const path = join(dir, 'f');
    const none = await daemon.post(WRITE, { path, content: 'x', if_match: '"x"' });
    expect([none.statusCode, none.json().data, existsSync(path)]).toEqual([409, { path, etag: null }, false]);
    const { etag } = await post(daemon, 'write', { path, content: 'one' });
    const field = await daemon.post(WRITE, { path, content: 'x', if_match: '"other"' });
    expect([field.statusCode, field.json().data.etag]).toEqual([409, etag]);
    const header = await daemon.post(WRITE, { path, content: 'x' }, { 'if-match': '"other"' });
    expect([header.statusCode, header.json().data.etag]).toEqual([412, etag]);
    expect((await daemon.post(WRITE, { path, content: 'x' }, { 'if-none-match': '*' })).statusCode).toBe(412);
    expect(readFileSync(path, 'utf8')).toBe('one');
    const second = await post(daemon, 'write', { path, content: 'two', if_match: etag });
    expect(second.etag).not.toBe(etag);
    expect((await daemon.post(WRITE, { path, content: 'x', if_match: etag })).statusCode).toBe(409);
    expect((await daemon.post(WRITE, { path, content: 'x' }, { 'if-match': `"x", ${second.etag}` })).statusCode).toBe(
      200,
    );
    expect((await daemon.post(WRITE, { path, content: 'y' }, { 'if-match': '*' })).statusCode).toBe(200);
  });

  test('[fs.if-match-one-wins] of 64 writers with one etag exactly one wins, round after round, by whatever name', async ({
    daemon,
    dir,
  }) => {
    const path = join(dir, 'f');
    symlinkSync('f', join(dir, 'link'));
    const contentOf = (round: number, writer: number): string =>
      `${String(round).padStart(2, '0')}${String(writer).padStart(2, '0')}`;
    let { etag } = await post(daemon, 'write', { path, content: '0000' });
    for (let round = 1; round <= 20; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, writer) =>
          daemon.post(WRITE, {
            path: writer % 3 === 0 ? join(dir, 'link') : path,
            content: contentOf(round, writer),
            if_match: etag,
            atomic: writer % 4 === 0,
          }),
        ),
      );
      const winner = answers.findIndex(({ statusCode }) => statusCode === 200);
      const lost = answers.filter(({ statusCode }) => statusCode === 409);
      expect([round, lost.length, readFileSync(path, 'utf8')]).toEqual([round, 63, contentOf(round, winner)]);
      etag = answers[winner]?.json().data.etag;
    }
  });

  test('contents of one length that follow each other at once have different etags', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    const etags = new Set<string>();
    for (let at = 0; at < 200; at += 1)
      etags.add((await post(daemon, 'write', { path, content: String(at % 10), atomic: at % 5 === 4 })).etag);
    expect(etags.size).toBe(200);
  });
});

describe.runIf(process.getuid?.() === 0)('the owner of created files (skipped unless the tests run as root)', () => {
  const nobody = process.getuid?.() === 0 ? lookUpIdentity('nobody') : undefined;
  const ofNobody = { uid: nobody?.uid, gid: nobody?.gid };

  test('[fs.owner] what is created belongs to user, parents included, and what was there stays', async ({
    daemon,
    dir,
  }) => {
    const query = { user: 'nobody' };
    const call = async (route: string, payload: object) => {
      const answer = await daemon.inject({ method: 'POST', url: `/v2/fs/${route}`, query, payload });
      expect([route, answer.statusCode]).toEqual([route, 200]);
    };
    await call('write', { path: join(dir, 'a/b/f'), content: 'x' });
    await call('write', { path: join(dir, 'atomic'), content: 'x', atomic: true });
    await call('mkdir', { path: join(dir, 'm/n'), parents: true });
    symlinkSync('b', join(dir, 'a/link'));
    await call('copy', { source: join(dir, 'a'), destination: join(dir, 'copied/c') });
    await daemon.inject({
      method: 'PUT',
      url: '/v2/fs/upload',
      query: { ...query, path: join(dir, 'up/f') },
      payload: 'x',
    });
    const tar = (await daemon.inject({ url: '/v2/fs/tree', query: { path: join(dir, 'a') } })).rawPayload;
    await daemon.inject({
      method: 'PUT',
      url: '/v2/fs/tree',
      query: { ...query, path: join(dir, 't/r') },
      payload: tar,
    });
    const created = [
      'a',
      'a/b',
      'a/b/f',
      'atomic',
      'm',
      'm/n',
      'copied',
      'copied/c',
      'copied/c/b/f',
      'copied/c/link',
      'up',
      'up/f',
      't',
      't/r',
      't/r/b/f',
      't/r/link',
    ];
    for (const name of created)
      expect([name, lstatSync(join(dir, name))]).toEqual([name, expect.objectContaining(ofNobody)]);
    writeFileSync(join(dir, 'roots'), 'x');
    for (const atomic of [false, true]) {
      await call('write', { path: join(dir, 'roots'), content: 'y', atomic });
      expect(statSync(join(dir, 'roots')).uid).toBe(0);
      await post(daemon, 'write', { path: join(dir, 'atomic'), content: 'y', atomic });
      expect(statSync(join(dir, 'atomic'))).toMatchObject(ofNobody);
    }
  });

  test('[file-error.permission-denied] [status.permission-403] what the system refuses a daemon that is not root is 403', async ({
    daemon,
    dir,
  }) => {
    mkdirSync(join(dir, 'closed'), { mode: 0o700 });
    writeFileSync(join(dir, 'closed/f'), 'x');
    process.seteuid?.(65534);
    try {
      const path = join(dir, 'closed/f');
      const refused = { status: 403, type: 'permission_denied' };
      expect(await failure(daemon.inject({ url: '/v2/fs/read', query: { path } }))).toEqual(refused);
      expect(await failure(daemon.inject({ url: '/v2/fs/list', query: { path: join(dir, 'closed') } }))).toEqual(
        refused,
      );
      expect(await failure(daemon.inject({ url: '/v2/fs/download', query: { path } }))).toEqual(refused);
      for (const [route, body] of [
        ['write', { path: join(dir, 'new'), content: 'x' }],
        ['delete', { path: join(dir, 'closed'), recursive: true }],
        ['move', { source: join(dir, 'closed'), destination: join(dir, 'moved') }],
        ['mkdir', { path: join(dir, 'new') }],
      ] as const) {
        expect([route, await failure(daemon.post(`/v2/fs/${route}`, body))]).toEqual([route, refused]);
      }
    } finally {
      process.seteuid?.(0);
    }
    expect(readdirSync(dir)).toEqual(['closed']);
  });
});

test('a user that does not exist is 400 on every route that takes one', async ({ daemon, dir }) => {
  const query = { user: 'nobody-by-that-name', path: dir };
  for (const route of ['read', 'stat', 'list', 'download', 'tree']) {
    expect((await daemon.inject({ url: `/v2/fs/${route}`, query })).statusCode).toBe(400);
  }
  for (const [route, payload] of [
    ['write', { path: join(dir, 'f'), content: '' }],
    ['mkdir', { path: join(dir, 'f') }],
    ['delete', { path: join(dir, 'f') }],
    ['copy', { source: dir, destination: join(dir, 'f') }],
  ] as const) {
    const answer = await daemon.inject({
      method: 'POST',
      url: `/v2/fs/${route}`,
      query: { user: query.user },
      payload,
    });
    expect([answer.statusCode, answer.json().message]).toEqual([400, 'user does not exist: nobody-by-that-name']);
  }
  expect(readdirSync(dir)).toEqual([]);
});
