import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, failure, get, test } from '../files.fixture.ts';

describe('text', () => {
  test('[fs.read] a file is read whole, or by lines', async ({ daemon, dir }) => {
    const path = join(dir, 'poem.txt');
    writeFileSync(path, 'a\nb\nc');
    const whole = await get(daemon, 'read', { path });
    expect(whole).toEqual({
      path,
      file: path,
      content: 'a\nb\nc',
      line_count: 3,
      etag: expect.stringMatching(/^".+"$/),
    });
    const lines = async (query: object) => (await get(daemon, 'read', { path, ...query })).content;
    expect(await lines({ start_line: '1' })).toBe('b\nc');
    expect(await lines({ start_line: '0', end_line: '2' })).toBe('a\nb');
    expect(await lines({ start_line: '1', end_line: '1' })).toBe('');
    expect(await lines({ start_line: '7' })).toBe('');
    writeFileSync(path, 'a\nb\n');
    expect(await get(daemon, 'read', { path, start_line: '1' })).toMatchObject({ content: 'b', line_count: 2 });
    writeFileSync(path, '');
    expect(await get(daemon, 'read', { path })).toMatchObject({ content: '', line_count: 0 });
  });

  test('[fs.read-cap] text over 16 MiB is refused with the hint to download', async ({ daemon, dir }) => {
    const path = join(dir, 'big');
    writeFileSync(path, 'x'.repeat(16 * 1024 ** 2));
    expect((await get(daemon, 'read', { path })).content).toHaveLength(16 * 1024 ** 2);
    truncateSync(path, 16 * 1024 ** 2 + 1);
    const answer = await daemon.inject({ url: '/v2/fs/read', query: { path } });
    expect(answer.statusCode).toBe(413);
    expect(answer.json()).toMatchObject({ data: { error_type: 'too_large' }, hint: 'download the file' });
  });

  test('text that takes over 32 MiB of JSON is refused; a range of it is read in pieces', async ({ daemon, dir }) => {
    const path = join(dir, 'control');
    writeFileSync(path, '\u0001'.repeat(6_000_000));
    const answer = await daemon.inject({ url: '/v2/fs/read', query: { path } });
    expect(answer.statusCode).toBe(413);
    expect(answer.json()).toMatchObject({ data: { error_type: 'too_large' }, hint: 'download the file' });
    const first = await get(daemon, 'read', { path, offset: '0' });
    expect(first.content).toHaveLength(Math.floor((32 * 1024 ** 2) / 6));
    const rest = await get(daemon, 'read', { path, offset: String(first.next_offset) });
    expect(first.content.length + rest.content.length).toBe(6_000_000);
    expect(rest.next_offset).toBe(6_000_000);
  });

  test('the lines of a file of 16 MiB of line ends are counted', async ({ daemon, dir }) => {
    const path = join(dir, 'lines');
    writeFileSync(path, '\n'.repeat(16 * 1024 ** 2));
    const read = await get(daemon, 'read', { path, start_line: String(16 * 1024 ** 2 - 2) });
    expect(read).toMatchObject({ content: '\n', line_count: 16 * 1024 ** 2 });
  });

  test('[fs.read-directory] a directory is EISDIR', async ({ daemon, dir }) => {
    const answer = await daemon.inject({ url: '/v2/fs/read', query: { path: dir } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().data).toMatchObject({ errno: 21, errno_name: 'EISDIR', error_type: 'invalid_target' });
  });

  test('[fs.read-decode] [file-error.decode-error] what is not UTF-8 is decode_error', async ({ daemon, dir }) => {
    const path = join(dir, 'bytes');
    writeFileSync(path, Buffer.from([0x61, 0xff]));
    const answer = await daemon.inject({ url: '/v2/fs/read', query: { path } });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().data).toMatchObject({ error_type: 'decode_error', exception_type: 'UnicodeDecodeError' });
  });
});

describe('bytes', () => {
  test('[fs.read-bytes] any bytes are read by offset and length in base64', async ({ daemon, dir }) => {
    const path = join(dir, 'bytes');
    writeFileSync(path, Buffer.from([0, 1, 2, 0xff, 4]));
    const read = await get(daemon, 'read', { path, encoding: 'base64', offset: '1', length: '3' });
    expect(Buffer.from(read.content, 'base64')).toEqual(Buffer.from([1, 2, 0xff]));
    expect(read).toMatchObject({ size: 5, next_offset: 4 });
    expect((await get(daemon, 'read', { path, encoding: 'base64', offset: '9' })).content).toBe('');
  });

  test('[fs.sparse] a range of a 10 GB sparse file is read, all of it is too much', async ({ daemon, dir }) => {
    const path = join(dir, 'sparse');
    closeSync(openSync(path, 'w'));
    truncateSync(path, 10 * 1024 ** 3);
    const read = await get(daemon, 'read', { path, encoding: 'base64', offset: String(9 * 1024 ** 3), length: '4' });
    expect(read).toMatchObject({ content: 'AAAAAA==', size: 10 * 1024 ** 3 });
    const refused = { status: 413, type: 'too_large' };
    expect(await failure(daemon.inject({ url: '/v2/fs/read', query: { path } }))).toEqual(refused);
    expect(await failure(daemon.inject({ url: '/v2/fs/read', query: { path, encoding: 'base64' } }))).toEqual(refused);
  });

  test('a range of text never splits a character', async ({ daemon, dir }) => {
    const path = join(dir, 'text');
    writeFileSync(path, 'aäöü');
    const pieces: string[] = [];
    for (let offset = 0; offset < 7; ) {
      const read = await get(daemon, 'read', { path, offset: String(offset), length: '2' });
      pieces.push(read.content);
      expect(read.next_offset).toBeGreaterThan(offset);
      offset = read.next_offset;
    }
    expect(pieces).toEqual(['a', 'ä', 'ö', 'ü']);
    expect(await get(daemon, 'read', { path, offset: '2', length: '3' })).toMatchObject({
      content: 'ö',
      next_offset: 5,
    });
  });
});

describe('what is no ordinary file', () => {
  test('[fs.read-special] FIFOs, sockets and devices are refused at once', async ({ daemon, dir }) => {
    execFileSync('mkfifo', [join(dir, 'fifo')]);
    const server = createServer().listen(join(dir, 'socket'));
    await once(server, 'listening');
    for (const path of [join(dir, 'fifo'), join(dir, 'socket'), '/dev/zero', '/dev/tty']) {
      const answer = await daemon.inject({ url: '/v2/fs/read', query: { path } });
      expect([path, answer.statusCode]).toEqual([path, 400]);
      expect(answer.json().data.error_type).toBe('invalid_target');
    }
    server.close();
  });

  test.runIf(process.platform === 'linux')(
    '[fs.proc] files of /proc, which say that they are empty, are read up to the cap, and fail as the system says',
    async ({ daemon }) => {
      expect((await get(daemon, 'read', { path: '/proc/self/status' })).content).toMatch(/^Name:/);
      const read = (path: string) => failure(daemon.inject({ url: '/v2/fs/read', query: { path } }));
      // The map of the pages of a process is longer than the cap, and nothing is mapped at address 0.
      expect(await read('/proc/self/pagemap')).toEqual({ status: 413, type: 'too_large' });
      expect(await read('/proc/self/mem')).toEqual({ status: 500, type: 'io_error' });
    },
  );
});

describe('bad paths', () => {
  test.for([
    ['empty', '', 400, 'invalid_path'],
    ['of no account', '~no-such-account/x', 400, 'invalid_path'],
    ['with NUL', '/a\0b', 400, 'invalid_path'],
    ['of 5,000 bytes', `/${'x/'.repeat(2500)}`, 400, 'invalid_path'],
    ['of a name of 300 bytes', `/tmp/${'x'.repeat(300)}`, 400, 'invalid_path'],
    ['that leads nowhere', '/nowhere/../nowhere/x', 404, 'not_found'],
    ['below a file', '/etc/passwd/x', 400, 'invalid_target'],
  ] as const)('a path %s', async ([, path, status, type], { daemon }) => {
    expect(await failure(daemon.inject({ url: '/v2/fs/read', query: { path } }))).toEqual({ status, type });
  });

  test('[fs.paths] a loop of links is ELOOP; `..` is resolved by the system', async ({ daemon, dir }) => {
    symlinkSync('loop', join(dir, 'loop'));
    const loop = await daemon.inject({ url: '/v2/fs/read', query: { path: join(dir, 'loop/x') } });
    expect(loop.json().data).toMatchObject({ errno_name: 'ELOOP', error_type: 'invalid_path' });
    mkdirSync(join(dir, 'a'));
    writeFileSync(join(dir, 'f'), 'x');
    expect((await get(daemon, 'read', { path: `${dir}/a/.././a/../f` })).content).toBe('x');
  });

  test('without a path the answer names the field', async ({ daemon }) => {
    const answer = await daemon.inject('/v2/fs/read');
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors[0].location).toEqual(['query', 'path']);
  });

  test('[fs.path-b64] a name that is not UTF-8 is listed, read, written, stated, moved and deleted by path_b64', async ({
    daemon,
    dir,
  }) => {
    const bytes = Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0x66, 0xff])]);
    const path_b64 = bytes.toString('base64');
    const shown = bytes.toString('utf8');
    const written = await daemon.post('/v2/fs/write', { path_b64, content: 'x' });
    expect(written.json().data).toMatchObject({ path: shown, path_b64, bytes_written: 1 });
    const { files } = await get(daemon, 'list', { path: dir });
    expect(files).toEqual([expect.objectContaining({ name: 'f\ufffd', path: shown, path_b64 })]);
    expect(await get(daemon, 'read', { path_b64 })).toMatchObject({ content: 'x', path_b64 });
    expect(await get(daemon, 'stat', { path_b64 })).toMatchObject({ size: 1, path_b64 });
    const copy = `${dir}/copy`;
    expect((await daemon.post('/v2/fs/copy', { source_b64: path_b64, destination: copy })).statusCode).toBe(200);
    expect(
      (await daemon.post('/v2/fs/move', { source: copy, destination_b64: path_b64, overwrite: true })).statusCode,
    ).toBe(200);
    expect((await daemon.post('/v2/fs/delete', { path_b64 })).json().data).toEqual({ path: shown, path_b64 });
    expect((await get(daemon, 'list', { path: dir })).files).toEqual([]);
  });
});
