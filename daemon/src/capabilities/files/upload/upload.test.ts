import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { TestApp } from '../../../app.fixture.ts';
import { describe, expect, test } from '../files.fixture.ts';

const UPLOAD = '/v2/fs/upload';

function put(daemon: TestApp, path: string, payload: string | Buffer, headers = {}, query = {}) {
  return daemon.inject({ method: 'PUT', url: UPLOAD, query: { path, ...query }, payload, headers });
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A form with its parts in the order given; a part of two elements is a file with that name. */
async function form(daemon: TestApp, parts: readonly [string, string | Blob, string?][], url = UPLOAD) {
  const data = new FormData();
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') data.append(name, value);
    else if (filename === undefined) data.append(name, value);
    else data.append(name, value, filename);
  }
  const response = new Response(data);
  return daemon.inject({
    method: 'POST',
    url,
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
    payload: Buffer.from(await response.arrayBuffer()),
  });
}

describe('a form', () => {
  test('[fs.upload] a file goes to path, wherever in the form that is said', async ({ daemon, dir }) => {
    const path = join(dir, 'new/f.txt');
    const file = ['file', new Blob(['hello']), 'x.txt'] as const;
    for (const parts of [
      [['path', path], [...file]],
      [[...file], ['path', path]],
    ] as const) {
      const answer = await form(daemon, parts as never);
      expect(answer.json().data).toMatchObject({
        file_path: path,
        file_size: 5,
        success: true,
        complete: true,
        sha256: sha256('hello'),
        etag: expect.any(String),
      });
      expect(readFileSync(path, 'utf8')).toBe('hello');
      expect(readdirSync(join(dir, 'new'))).toEqual(['f.txt']);
    }
  });

  test('[fs.upload-default] without path it goes to /tmp under its own name, directories left out', async ({
    daemon,
  }) => {
    const name = `upload-test-${process.pid}.txt`;
    const answer = await form(daemon, [['file', new Blob(['x']), `../../etc/${name}`]]);
    expect(answer.json().data.file_path).toBe(`/tmp/${name}`);
    expect(readFileSync(`/tmp/${name}`, 'utf8')).toBe('x');
    expect((await daemon.post('/v2/fs/delete', { path: `/tmp/${name}` })).statusCode).toBe(200);
  });

  test('[fs.upload-form-faults] without a file, with two, cut, or no form at all', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    const file = (): [string, Blob, string] => ['file', new Blob(['x']), 'x'];
    const none = await form(daemon, [['path', path]]);
    expect([none.statusCode, none.json().errors[0].location]).toEqual([422, ['body', 'file']]);
    const two = await form(daemon, [['path', path], file(), file()]);
    expect([two.statusCode, two.json().message]).toEqual([400, 'the form has more than one file']);
    const json = await daemon.post(UPLOAD, { path });
    expect(json.statusCode).toBe(422);
    const payload = `--b\r\ncontent-disposition: form-data; name="path"\r\n\r\n${path}\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\nhal`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const cut = await daemon.inject({ method: 'POST', url: UPLOAD, headers, payload });
    expect([cut.statusCode, cut.json().message]).toEqual([400, expect.stringContaining('the form is not whole')]);
    const unbounded = { 'content-type': 'multipart/form-data' };
    expect((await daemon.inject({ method: 'POST', url: UPLOAD, headers: unbounded, payload })).statusCode).toBe(400);
    expect(readdirSync(dir)).toEqual([]);
  });

  test('a target that cannot be written answers what is wrong', async ({ daemon, dir }) => {
    writeFileSync(join(dir, 'file'), '');
    const ask = async (path: string) => {
      const answer = await form(daemon, [
        ['path', path],
        ['file', new Blob(['x'.repeat(3_000_000)]), 'x'],
      ]);
      return [answer.statusCode, answer.json().data.error_type];
    };
    expect(await ask(dir)).toEqual([400, 'invalid_target']);
    expect(await ask('~no-such-account')).toEqual([400, 'invalid_path']);
    expect(await ask(join(dir, 'file/x'))).toEqual([400, 'invalid_target']);
  });
});

describe('a raw body', () => {
  test('[fs.upload-put] it replaces a file, keeps its mode, and follows a link', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    symlinkSync('f', join(dir, 'link'));
    const answer = await put(daemon, join(dir, 'link'), 'new content', { 'content-type': 'text/x-anything' });
    expect(answer.json().data).toMatchObject({ file_size: 11, sha256: sha256('new content'), complete: true });
    expect(readFileSync(path, 'utf8')).toBe('new content');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(dir).sort()).toEqual(['f', 'link']);
    expect((await put(daemon, path, '', {}, { mode: '0600' })).json().data.file_size).toBe(0);
    expect(statSync(path)).toMatchObject({ size: 0, mode: 0o100600 });
  });

  test('If-Match and If-None-Match decide before anything is replaced', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    const { etag } = (await put(daemon, path, 'one', { 'if-none-match': '*' })).json().data;
    expect((await put(daemon, path, 'two', { 'if-none-match': '*' })).statusCode).toBe(412);
    expect((await put(daemon, path, 'two', { 'if-match': '"other"' })).statusCode).toBe(412);
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect((await put(daemon, path, 'two', { 'if-match': etag })).statusCode).toBe(200);
  });

  test('[fs.upload-cut] a cut upload leaves the old file whole and no rest', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'old');
    const base = await daemon.listen();
    const started = request(`${base}${UPLOAD}?path=${path}`, {
      method: 'PUT',
      headers: { 'content-length': 9_000_000 },
    });
    started.on('error', () => undefined);
    started.write(Buffer.alloc(2_000_000));
    await expect.poll(() => readdirSync(dir).length).toBe(2);
    expect(readdirSync(dir).find((name) => name !== 'f')).toMatch(/^\.svc-upload-[0-9a-f]+\.part$/);
    started.destroy();
    await expect.poll(() => readdirSync(dir)).toEqual(['f']);
    expect(readFileSync(path, 'utf8')).toBe('old');
  });
});

describe('pieces', () => {
  const range = (from: number, to: number, total: number | '*') => ({
    'content-range': `bytes ${from}-${to}/${total}`,
  });

  test('[fs.upload-resume] a file comes in pieces, each of which begins where the last one ended', async ({
    daemon,
    dir,
  }) => {
    const path = join(dir, 'deep/f');
    expect((await put(daemon, path, 'hel', range(0, 2, 8))).json().data).toMatchObject({
      complete: false,
      file_size: 3,
      sha256: null,
    });
    expect(readdirSync(join(dir, 'deep'))).toEqual([expect.stringMatching(/^\.svc-upload-/)]);
    const misplaced = await put(daemon, path, 'lo', range(5, 6, 8));
    expect([misplaced.statusCode, misplaced.json().data]).toEqual([409, { path, size: 3 }]);
    expect((await put(daemon, path, '', { 'content-range': 'bytes */8' })).json().data).toMatchObject({ file_size: 3 });
    expect((await put(daemon, path, 'lo', range(3, 4, '*'))).json().data.complete).toBe(false);
    const last = await put(daemon, path, 'you', range(5, 7, 8));
    expect(last.json().data).toMatchObject({ complete: true, file_size: 8, sha256: sha256('helloyou') });
    expect(readdirSync(join(dir, 'deep'))).toEqual(['f']);
    expect(readFileSync(path, 'utf8')).toBe('helloyou');
  });

  test('a piece that is cut keeps what came, and the upload goes on from there', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    const base = await daemon.listen();
    const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => at % 253));
    const headers = { 'content-length': content.length, ...range(0, content.length - 1, content.length) };
    const cut = request(`${base}${UPLOAD}?path=${path}`, { method: 'PUT', headers });
    cut.on('error', () => undefined);
    cut.write(content.subarray(0, 1_000_000));
    const size = () => readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
    await expect.poll(size).toBeGreaterThan(0);
    const seen = size();
    cut.destroy();
    const misplaced = async () => {
      const answer = await put(daemon, path, 'x', range(2_999_999, 2_999_999, 3_000_000));
      return answer.statusCode === 409 ? answer.json().data.size : -1;
    };
    const there = await misplaced();
    expect(there).toBeGreaterThanOrEqual(seen);
    expect(there).toBeLessThanOrEqual(1_000_000);
    const rest = await put(daemon, path, content.subarray(there), range(there, content.length - 1, content.length));
    expect(rest.json().data).toMatchObject({ complete: true, sha256: sha256(content) });
  });

  test('[fs.upload-resume-kept] the part outlives the daemon and can be begun anew', async ({ dir }) => {
    const path = join(dir, 'f');
    const runtime = join(dir, 'runtime');
    mkdirSync(runtime, { mode: 0o700 });
    {
      await using daemon = await TestApp.start({}, runtime);
      await put(daemon, path, 'hel', range(0, 2, 5));
    }
    await using daemon = await TestApp.start({}, runtime);
    expect((await put(daemon, path, 'hel', range(0, 2, 5))).statusCode).toBe(409);
    const answer = await put(daemon, path, 'world', range(0, 4, 5), { restart: 'true' });
    expect(answer.json().data.complete).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('world');
  });

  test('[fs.upload-resume-end] where the last piece is there and its call was cut, its repeat completes the file', async ({
    dir,
  }) => {
    const path = join(dir, 'f');
    const runtime = join(dir, 'runtime');
    mkdirSync(runtime, { mode: 0o700 });
    {
      await using daemon = await TestApp.start({}, runtime);
      await put(daemon, path, 'hel', range(0, 2, 8));
      // As a daemon leaves it that ends between the last byte and the name.
      expect((await put(daemon, path, 'loyou', range(3, 7, '*'))).json().data.complete).toBe(false);
    }
    await using daemon = await TestApp.start({}, runtime);
    expect((await put(daemon, path, '', { 'content-range': 'bytes */8' })).json().data.file_size).toBe(8);
    const beyond = await put(daemon, path, 'x', range(8, 8, 9));
    expect([beyond.statusCode, beyond.json().data.file_size]).toEqual([200, 9]);
    await put(daemon, join(dir, 'g'), 'helloyou', range(0, 7, '*'));
    const middle = await put(daemon, join(dir, 'g'), 'lo', range(3, 4, 8));
    expect([middle.statusCode, middle.json().data.size, middle.json().hint]).toEqual([
      409,
      8,
      expect.stringContaining('the last piece again'),
    ]);
    const cut = await put(daemon, join(dir, 'g'), 'lo', range(3, 7, 8));
    expect(cut.statusCode).toBe(400);
    const last = await put(daemon, join(dir, 'g'), 'you', range(5, 7, 8));
    expect(last.json().data).toMatchObject({ complete: true, file_size: 8, sha256: sha256('helloyou') });
    expect(readFileSync(join(dir, 'g'), 'utf8')).toBe('helloyou');
    expect((await put(daemon, join(dir, 'g'), 'you', range(5, 7, 8))).statusCode).toBe(409);
  });

  test('a body that is not as long as its range is refused and forgotten', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    expect((await put(daemon, path, 'hello', range(0, 2, 8))).statusCode).toBe(400);
    expect((await put(daemon, path, '', { 'content-range': 'bytes */8' })).json().data.file_size).toBe(0);
    for (const wrong of ['bytes 3-2/8', 'bytes 0-9/5', 'items 0-1/2', 'bytes */*']) {
      expect((await put(daemon, path, 'x', { 'content-range': wrong })).statusCode).toBe(400);
    }
  });

  test('of many senders of one piece exactly one is taken', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    const answers = await Promise.all(Array.from({ length: 16 }, () => put(daemon, path, 'half', range(0, 3, 8))));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 409)).toHaveLength(15);
  });
});
