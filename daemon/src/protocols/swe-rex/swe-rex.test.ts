import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alive } from '../../../../scripts/testing/alive.ts';
import { RexClient } from './rex-client.fixture.ts';

/** Begins an entry of the directory of a zip. */
const CENTRAL = Buffer.from('504b0102', 'hex');

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'swe-rex-root-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A zip as Python's `zipfile` makes it, by a script with `archive`. */
function zipOf(script: string): Buffer {
  const program = `import sys, zipfile\narchive = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)\n${script}\narchive.close()`;
  const path = join(root, 'made.zip');
  execFileSync('python3', ['-c', program, path]);
  const bytes = readFileSync(path);
  rmSync(path);
  return bytes;
}

test('[swe-rex.execute] a command runs as by subprocess: words, shell, variables, directory, streams', async () => {
  await using client = await RexClient.start();
  const run = (body: object) => client.ok('execute', body);
  expect(await run({ command: "echo '\n \nhello'", shell: true })).toEqual({
    stdout: '\n \nhello\n',
    stderr: '',
    exit_code: 0,
  });
  expect(await run({ command: ['printf', '%s|', 'a b', '$x'] })).toMatchObject({ stdout: 'a b|$x|' });
  const both = ['sh', '-c', 'echo out; echo err >&2; exit 3'];
  expect(await run({ command: both })).toEqual({ stdout: 'out\n', stderr: 'err\n', exit_code: 3 });
  expect(await run({ command: both, merge_output_streams: true })).toEqual({
    stdout: 'out\nerr\n',
    stderr: '',
    exit_code: 3,
  });
  expect(await run({ command: 'pwd; env', shell: true, cwd: root, env: { A: '1' } })).toMatchObject({
    stdout: expect.stringMatching(new RegExp(`^${root}\\n(.*\\n)*A=1\\n`)),
  });
  expect(await run({ command: '', shell: true, check: true })).toMatchObject({ exit_code: 0 });
  expect(await run({ command: ['sh', '-c', 'kill -9 $$'] })).toMatchObject({ exit_code: -9 });
  expect(await run({ command: ['printf', 'a\\377b'] })).toMatchObject({ stdout: 'a\\xffb' });
});

test('[swe-rex.execute] of a long output the answer has the beginning, and says how much it lacks', async () => {
  await using client = await RexClient.start();
  const command = 'head -c 31457280 /dev/zero | tr "\\0" x; exit 4';
  const { stdout, exit_code } = await client.ok('execute', { command, shell: true });
  expect(exit_code).toBe(4);
  expect(stdout.length).toBeLessThan(10 * 1024 ** 2 + 100);
  expect(stdout.slice(-40)).toMatch(/x\n\[20971520 bytes more, left out\]$/);
});

test('[swe-rex.execute] a body of many values or levels is refused before it is parsed', async () => {
  await using client = await RexClient.start();
  for (const x of ['[],'.repeat(140_000), `${'['.repeat(200)}${']'.repeat(200)},`]) {
    for (const route of ['execute', 'create_session', 'run_in_session', 'read_file', 'write_file']) {
      const { status, json } = await client.post(route, `{"command":["true"],"path":"p","content":"","x":[${x}0]}`);
      expect([route, status, json.detail]).toEqual([route, 422, expect.stringMatching(/^body: has more than/)]);
    }
  }
});

test('[swe-rex.execute] megabytes of control characters are answered whole', async () => {
  await using client = await RexClient.start();
  const { stdout } = await client.ok('execute', { command: ['head', '-c', '3000000', '/dev/zero'] });
  expect(stdout).toBe('\0'.repeat(3_000_000));
});

test('[swe-rex.execute] a timeout ends everything; what fails carries its class', async () => {
  await using client = await RexClient.start();
  const script = `setsid sh -c 'echo $$ > child; exec sleep 600' & while [ ! -s child ]; do sleep 0.02; done; wait`;
  const late = { command: script, shell: true, cwd: root, timeout: 5 };
  expect(await client.raised('execute', late)).toEqual([
    'swerex.exceptions.CommandTimeoutError',
    'Timeout (5s) exceeded while running command',
  ]);
  const child = Number(readFileSync(join(root, 'child'), 'utf8'));
  await expect.poll(() => alive(child)).toBe(false);
  const failed = await client.raised('execute', { command: ['false'], check: true, error_msg: 'why' });
  expect(failed).toEqual([
    'swerex.exceptions.NonZeroExitCodeError',
    expect.stringMatching(/^why: Command \['false'\]/),
  ]);
  expect((await client.raised('execute', { command: ['no-such-program'] }))[0]).toBe('builtins.FileNotFoundError');
  expect((await client.raised('execute', { command: ['pwd'], cwd: '/no-such' }))[0]).toBe('builtins.FileNotFoundError');
  expect((await client.raised('execute', { command: ['pwd'], cwd: '/etc/passwd' }))[0]).toBe(
    'builtins.NotADirectoryError',
  );
  for (const body of ['not json', {}, { command: [] }, { command: 'ls', timeout: -1 }]) {
    const { status, json } = await client.post('execute', body);
    expect([status, typeof json.detail]).toEqual([422, 'string']);
  }
});

test('[swe-rex.files] files are read in their encoding and written with their parents', async () => {
  await using client = await RexClient.start();
  const path = join(root, 'a/b.txt');
  expect(await client.ok('write_file', { path, content: 'text ü\r\n' })).toEqual({});
  expect(await client.ok('read_file', { path })).toEqual({ content: 'text ü\n' });
  writeFileSync(path, Buffer.from([0x61, 0xff]));
  expect(await client.ok('read_file', { path, encoding: 'latin-1' })).toEqual({ content: 'aÿ' });
  expect(await client.ok('read_file', { path, errors: 'backslashreplace' })).toEqual({ content: 'a\\xff' });
  expect(await client.ok('read_file', { path, errors: 'ignore' })).toEqual({ content: 'a' });
  const raised = (body: object) => client.raised('read_file', body);
  expect((await raised({ path }))[0]).toBe('builtins.ValueError');
  expect((await raised({ path, encoding: 'klingon' }))[0]).toBe('builtins.LookupError');
  expect(await raised({ path: 'none.txt' })).toEqual([
    'builtins.FileNotFoundError',
    "[Errno 2] No such file or directory: 'none.txt'",
  ]);
  expect((await raised({ path: root }))[0]).toBe('builtins.IsADirectoryError');
});

test('[swe-rex.upload] a file and a zip are placed, with parents and modes', async () => {
  await using client = await RexClient.start();
  const big = Buffer.alloc(3_000_000, 'x');
  expect(await client.upload(big, join(root, 'p/file'), false)).toEqual({ status: 200, json: {} });
  expect(readFileSync(join(root, 'p/file'))).toEqual(big);
  const long = 'n'.repeat(120);
  const zip = zipOf(
    `archive.writestr("d/", "")\narchive.writestr("d/one.txt", "one" * 100000)\narchive.writestr("${long}/ü", "two")`,
  );
  expect(await client.upload(zip, join(root, 'tree'), true)).toEqual({ status: 200, json: {} });
  expect(readFileSync(join(root, 'tree/d/one.txt'), 'utf8')).toBe('one'.repeat(100_000));
  expect(readFileSync(join(root, `tree/${long}/ü`), 'utf8')).toBe('two');
  expect((await client.post('upload', new FormData())).status).toBe(400);
});

test.each([
  ['an absolute name', 'archive.writestr("/tmp/evil", "x")', 400, 'is absolute'],
  ['a way up', 'archive.writestr("../evil", "x")', 400, 'contains ..'],
  [
    'a link',
    'info = zipfile.ZipInfo("link")\ninfo.create_system = 3\ninfo.external_attr = 0o120777 << 16\narchive.writestr(info, "/etc")',
    400,
    'a link is refused',
  ],
])(
  '[swe-rex.upload] %s in a zip is refused as in imports, and nothing is written',
  async (_what, script, status, why) => {
    await using client = await RexClient.start();
    const target = join(root, 'tree');
    const zip = zipOf(`archive.writestr("first", "x")\n${script}`);
    const refused = await client.upload(zip, target, true);
    expect(refused).toEqual({ status, json: { detail: expect.stringContaining(why) } });
    expect(existsSync(target)).toBe(false);
    expect(readdirSync(root)).toEqual([]);
  },
);

test('[swe-rex.upload] a zip that lies about its sizes, is cut or is none is refused', async () => {
  await using client = await RexClient.start();
  const zip = zipOf('archive.writestr("bomb", "0" * 5000000)');
  const lying = Buffer.from(zip);
  const central = lying.lastIndexOf(CENTRAL);
  lying.writeUInt32LE(10, central + 24);
  for (const bytes of [lying, zip.subarray(0, zip.length - 30), Buffer.from('no zip')]) {
    const { status, json } = await client.upload(bytes, join(root, 'tree'), true);
    expect([status, json.detail]).toEqual([400, expect.stringContaining('zip cannot be taken')]);
  }
  const large = zipOf('archive.writestr("0", "0")\narchive.writestr("1", "1")');
  for (let at = large.indexOf(CENTRAL); at >= 0; at = large.indexOf(CENTRAL, at + 1)) {
    large.writeUInt32LE(2 ** 31 + 1, at + 24);
  }
  const refused = await client.upload(large, join(root, 'tree'), true);
  expect(refused).toEqual({ status: 413, json: { detail: expect.stringContaining('its entries have over 4 GiB') } });
  expect(existsSync(join(root, 'tree'))).toBe(false);
});

test('[swe-rex.upload] a link in the target leads nowhere', async () => {
  await using client = await RexClient.start();
  mkdirSync(join(root, 'tree'));
  mkdirSync(join(root, 'outside'));
  symlinkSync(join(root, 'outside'), join(root, 'tree/link'));
  const zip = zipOf('archive.writestr("link/evil", "x")');
  await client.upload(zip, join(root, 'tree'), true);
  expect(readdirSync(join(root, 'outside'))).toEqual([]);
});

test('[swe-rex.idempotent] a request that is sent again is not done again', async () => {
  await using client = await RexClient.start();
  const body = { command: `echo x >> ${join(root, 'log')}; cat ${join(root, 'log')}`, shell: true };
  const headers = { 'x-request-id': 'one' };
  const [first, second] = await Promise.all([
    client.post('execute', body, headers),
    client.post('execute', body, headers),
  ]);
  expect([first.json.stdout, second.json.stdout]).toEqual(['x\n', 'x\n']);
  expect((await client.post('execute', body, { 'x-request-id': 'two' })).json.stdout).toBe('x\nx\n');
});

test('[swe-rex.idempotent] a request whose client was cut is answered when it is sent again', async () => {
  await using client = await RexClient.start();
  const go = join(root, 'go');
  const script = `echo x >> ${join(root, 'log')}; until [ -e ${go} ]; do sleep 0.02; done; cat ${join(root, 'log')}`;
  const whole = JSON.stringify({ command: script, shell: true });
  for (const [id, sent] of [
    ['running', whole.length],
    ['half', 10],
  ] as const) {
    rmSync(go, { force: true });
    rmSync(join(root, 'log'), { force: true });
    const { hostname, port } = new URL(client.url);
    const accepted = once(client.app.app.server, 'connection');
    const socket = connect(Number(port), hostname);
    const [[held]] = await Promise.all([accepted, once(socket, 'connect')]);
    const head = `POST /compat/swe-rex/execute HTTP/1.1\r\nhost: localhost\r\nx-request-id: ${id}\r\n`;
    const bytes = `${head}content-length: ${whole.length}\r\n\r\n${whole.slice(0, sent)}`;
    await new Promise((resolve) => socket.write(bytes, resolve));
    if (sent === whole.length) while (!existsSync(join(root, 'log'))) await new Promise(setImmediate);
    socket.destroy();
    await new Promise((resolve) => held.once('close', resolve));
    const again = client.post('execute', whole, { 'x-request-id': id });
    writeFileSync(go, '');
    expect([id, await again]).toEqual([id, { status: 200, json: { stdout: 'x\n', stderr: '', exit_code: 0 } }]);
  }
});

test('[swe-rex.access] everything needs the key in X-API-Key, in its words', async () => {
  await using client = await RexClient.start({ apiKey: 'key-of-rex' });
  const get = async (path: string, headers = {}) => {
    const answer = await fetch(`${client.url}/${path}`, { headers });
    return [answer.status, await answer.json()];
  };
  const key = { 'x-api-key': 'key-of-rex' };
  expect(await get('is_alive', key)).toEqual([200, { is_alive: true, message: '' }]);
  expect(await get('', key)).toEqual([200, { message: 'hello world' }]);
  for (const path of ['is_alive', '', 'execute'])
    expect(await get(path)).toEqual([401, { detail: expect.any(String) }]);
  expect((await get('execute', key))[0]).toBe(405);
  expect((await get('none', key))[0]).toBe(404);
});
