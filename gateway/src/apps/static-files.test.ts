import { execFile } from 'node:child_process';
import { mkdir, readdir, readlink, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { type Daemon, exchange, startDaemon } from '../gateway.fixture.ts';
import { IN_FLIGHT_MAX_MB } from '../in-flight.fixture.ts';
import { StaticFiles } from './static-files.ts';

interface Site extends AsyncDisposable {
  readonly directory: string;
  readonly server: Daemon;
  get(path: string, fields?: string, method?: string): Promise<string>;
}

async function site(): Promise<Site> {
  const temp = await tempDir();
  const directory = temp.path;
  await mkdir(join(directory, 'site/app/folder'), { recursive: true });
  await writeFile(join(directory, 'secret.txt'), 'secret');
  await writeFile(join(directory, 'site/app/ui.js'), 'let a;');
  await writeFile(join(directory, 'site/a b.html'), '<p>');
  await writeFile(join(directory, 'site/.hidden'), 'secret');
  await writeFile(join(directory, 'site/empty.css'), '');
  await writeFile(join(directory, 'site/big.bin'), Buffer.alloc(5_000_000, 7));
  const files = new StaticFiles(join(directory, 'site'));
  const server = await startDaemon((req: IncomingMessage, res: ServerResponse) => {
    const fileExchange = { req, res, requestId: 'id' } as unknown as Exchange;
    const options = { path: (req.url ?? '').slice(1), headers: { 'X-Own': '1' }, cookies: ['a=1', 'b=2'] };
    files.send(fileExchange, options).catch(() => res.destroy());
  });
  return {
    directory: join(directory, 'site'),
    server,
    get: (path, fields = '', method = 'GET') =>
      exchange(server.port, `${method} /${path} HTTP/1.1\nHost: h${fields && `\n${fields}`}`),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
}

test('a file is sent with its type, length, an ETag and the caller’s headers', async () => {
  await using pages = await site();
  const answer = await pages.get('app/ui.js');
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*Content-Type: text\/javascript; charset=utf-8/);
  expect(answer).toMatch(/ETag: "[0-9a-z-]+"[\s\S]*\r\n\r\nlet a;$/);
  for (const field of ['Content-Length: 6', 'X-Own: 1', 'Set-Cookie: a=1', 'Set-Cookie: b=2', 'x-request-id: id'])
    expect(answer).toContain(`${field}\r\n`);
  expect(answer).toContain('X-Content-Type-Options: nosniff');
  expect(await pages.get('a%20b.html')).toMatch(/Content-Type: text\/html[\s\S]*<p>$/);
  expect(await pages.get('empty.css')).toMatch(/^HTTP\/1\.1 200 [\s\S]*Content-Length: 0/);
  const head = await pages.get('app/ui.js', '', 'HEAD');
  expect(head).toMatch(/^HTTP\/1\.1 200 [\s\S]*Content-Length: 6[\s\S]*\r\n\r\n$/);
});

test('a client that has the file gets 304 until the file changes', async () => {
  await using pages = await site();
  const tag = /ETag: (\S+)/.exec(await pages.get('app/ui.js'))?.[1] ?? '';
  for (const condition of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
    const answer = await pages.get('app/ui.js', `If-None-Match: ${condition}`);
    expect([condition, answer.slice(0, 12)]).toEqual([condition, 'HTTP/1.1 304']);
    expect(answer).not.toContain('let a;');
  }
  await utimes(join(pages.directory, 'app/ui.js'), 1, 1);
  expect(await pages.get('app/ui.js', `If-None-Match: ${tag}`)).toMatch(/^HTTP\/1\.1 200/);
});

test.each([
  '../secret.txt',
  'app/../../secret.txt',
  '%2e%2e/secret.txt',
  '..%2fsecret.txt',
  'app%2fui.js',
  '..%5csecret.txt',
  '/etc/passwd',
  'app//ui.js',
  './app/ui.js',
  '.hidden',
  'app',
  'app/',
  'app/folder',
  '',
  '%',
  'app/ui.js%00',
  'app/ui.js/',
  'none.js',
  'x'.repeat(300),
])('%j is 404', async (path) => {
  await using pages = await site();
  const answer = await pages.get(path);
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(answer).not.toContain('secret');
});

test('only files are served, also through a symlink; a FIFO and a broken symlink are 404', async () => {
  await using pages = await site();
  await promisify(execFile)('mkfifo', [join(pages.directory, 'fifo.js')]);
  expect(await pages.get('fifo.js')).toMatch(/^HTTP\/1\.1 404 /);
  await symlink('nowhere', join(pages.directory, 'broken.js'));
  await symlink('app/ui.js', join(pages.directory, 'link.js'));
  expect(await pages.get('broken.js')).toMatch(/^HTTP\/1\.1 404 /);
  expect(await pages.get('link.js')).toMatch(/^HTTP\/1\.1 200 /);
});

test('a method other than GET and HEAD is 405', async () => {
  await using pages = await site();
  expect(await pages.get('app/ui.js', 'Content-Length: 0', 'POST')).toMatch(/^HTTP\/1\.1 405 [\s\S]*Allow: GET, HEAD/);
});

test('a large file arrives complete, and is closed if its client disconnects', async () => {
  await using pages = await site();
  const answer = await pages.get('big.bin');
  expect(answer.length - answer.indexOf('\r\n\r\n') - 4).toBe(5_000_000);
  // Larger than the socket buffers of a connection, so that the file is still being read.
  await writeFile(join(pages.directory, 'huge.bin'), '');
  await truncate(join(pages.directory, 'huge.bin'), IN_FLIGHT_MAX_MB * 1024 ** 2);
  const leaving = await Promise.all(
    Array.from({ length: 8 }, () => fetch(`http://127.0.0.1:${pages.server.port}/huge.bin`)),
  );
  expect(await openFiles('huge.bin')).toBe(8);
  const warnings: string[] = [];
  const keep = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', keep);
  for (const { body } of leaving) await body?.cancel();
  await expect.poll(() => openFiles('huge.bin')).toBe(0);
  process.off('warning', keep);
  // The garbage collector closes leaked descriptors and emits a warning.
  expect(warnings).toEqual([]);
});

/** Open descriptors of this process for files with that name. */
async function openFiles(name: string): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(join('/proc/self/fd', fd)).catch(() => ''));
  return (await Promise.all(links)).filter((target) => target.endsWith(name)).length;
}
