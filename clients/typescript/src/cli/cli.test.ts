import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../../../scripts/root.ts';
import { has } from '../../../../scripts/testing/machine.ts';
import { TestSandbox } from '../client.fixture.ts';
import { HostileServer } from '../hostile-server.fixture.ts';
import { commandLine, type Ran } from './cli.fixture.ts';
import { page } from './help.ts';
import { COMMANDS } from './specs.ts';

const KEY = 'correct-horse-battery';
/** Prints its port. */
const ECHO_ON_IPV6 =
  "require('net').createServer((s) => s.pipe(s)).listen(0, '::1', function () { console.log(this.address().port) })";
let it: TestSandbox;

beforeAll(async () => {
  it = await TestSandbox.start({ apiKey: KEY });
});
afterAll(() => it[Symbol.asyncDispose]());

function sandbox(words: readonly string[], input = '', more: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const here = { SANDBOX_URL: it.proxy.url, SANDBOX_API_KEY: KEY, XDG_CONFIG_HOME: it.directory };
  return commandLine(words, input, { ...here, ...more });
}

test('[cli.run] run passes output and exit code on, also of a program without a shell', async () => {
  expect(await sandbox(['run', '--', 'echo out; echo err >&2; exit 3'])).toEqual({
    code: 3,
    out: 'out\n',
    err: 'err\n',
  });
  expect(await sandbox(['run', '--', 'printf', '%s-', 'a b', '$HOME'])).toMatchObject({ code: 0, out: 'a b-$HOME-' });
  expect((await sandbox(['run', '--timeout', '0.2', '--', 'sleep 100'])).code).toBe(124);
  expect(await sandbox(['run', 'printf', '%s-', '-d', '--json', '--'])).toMatchObject({
    code: 0,
    out: '-d---json----',
  });
  expect(JSON.parse((await sandbox(['run', '--json', '--', 'echo x'])).out)).toMatchObject({
    stdout: 'x\n',
    exitCode: 0,
  });
});

test('[cli.commands] a detached command is listed, followed and killed', async () => {
  const id = (await sandbox(['run', '-d', '--', 'echo begun; sleep 1000'])).out.trim();
  expect((await sandbox(['ps'])).out).toContain(id);
  expect(await sandbox(['logs', id])).toMatchObject({ code: 0, out: 'begun\n' });
  expect((await sandbox(['kill', id])).code).toBe(0);
  expect(await sandbox(['logs', '-f', id])).toMatchObject({ code: 143, out: 'begun\n' });
  expect((await sandbox(['ps'])).out).not.toContain(id);
  for (const name of ['logs', 'kill']) {
    expect(await sandbox([name, 'nonsense'])).toMatchObject({
      code: 125,
      err: expect.stringContaining('sandbox ps -a'),
    });
  }
});

test('[cli.files] cp, ls and cat copy and show files and directories', async () => {
  const at = (name: string): string => join(it.directory, name);
  await mkdir(at('tree/sub'), { recursive: true });
  await writeFile(at('tree/sub/f'), 'hello');
  expect((await sandbox(['cp', at('tree/sub/f'), `sandbox:${at('sent')}`])).code).toBe(0);
  expect((await sandbox(['cat', at('sent')])).out).toBe('hello');
  expect((await sandbox(['cp', `sandbox:${at('sent')}`, at('back')])).code).toBe(0);
  expect(await readFile(at('back'), 'utf8')).toBe('hello');
  expect((await sandbox(['cp', '-r', at('tree'), `sandbox:${at('there')}`])).code).toBe(0);
  expect((await sandbox(['cp', '-r', `sandbox:${at('there')}`, at('again')])).code).toBe(0);
  expect(await readFile(at('again/sub/f'), 'utf8')).toBe('hello');
  expect((await sandbox(['cp', '-r', at('tree/sub/f'), `sandbox:${at('one')}`])).code).toBe(0);
  expect((await sandbox(['cp', '-r', `sandbox:${at('one')}`, at('two')])).code).toBe(0);
  expect(await readFile(at('two'), 'utf8')).toBe('hello');
  for (const words of [
    [at('tree'), 'sandbox:x'],
    [`sandbox:${at('there')}`, at('x')],
  ]) {
    expect(await sandbox(['cp', ...words])).toMatchObject({ code: 2, err: expect.stringContaining('-r') });
  }
  expect((await sandbox(['ls', at('there')])).out).toMatch(/^drwx.* sub\n$/);
  expect(await sandbox(['cp', 'a', 'b'])).toMatchObject({ code: 2, err: expect.stringContaining('sandbox:') });
});

test('[cli.files] control characters of names are shown, not sent to the terminal', async () => {
  await mkdir(join(it.directory, 'names'));
  await writeFile(join(it.directory, 'names/a\u001b]0;title\u0007\nb'), '');
  expect((await sandbox(['ls', join(it.directory, 'names')])).out).toMatch(/ a\\x1b\]0;title\\x07\\x0ab\n$/);
  const id = (await sandbox(['run', '-d', '--', 'sleep 1000 # \u001b[2J'])).out.trim();
  expect((await sandbox(['ps'])).out).toContain('sleep 1000 # \\x1b[2J');
  await sandbox(['kill', id]);
});

test('[cli.watch] watch prints changes', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'watch', it.directory, '--json'], {
    env: { ...process.env, SANDBOX_URL: it.proxy.url, SANDBOX_API_KEY: KEY },
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  // Writes until the watch, whose beginning prints nothing, reports one.
  await expect
    .poll(async () => {
      await writeFile(join(it.directory, 'watched'), String(Math.random()));
      return out;
    })
    .toContain('watched');
  child.kill();
});

test('[cli.code] code runs stdin and files', async () => {
  expect(await sandbox(['code', '-l', 'javascript'], '6 * 7')).toMatchObject({ code: 0, out: '42\n' });
  await writeFile(join(it.directory, 'bad.js'), 'null.x');
  const failed = await sandbox(['code', '--language=javascript', join(it.directory, 'bad.js')]);
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('TypeError') });
});

test('[cli.shell] shell types stdin into a terminal and ends with it', async () => {
  const ran = await sandbox(['shell'], 'echo a""b; exit 5\n');
  expect([ran.code, ran.out]).toEqual([5, expect.stringContaining('ab')]);
  // The end of stdin is that of the shell.
  expect(await sandbox(['shell'], 'echo c""d\n')).toMatchObject({ code: 0, out: expect.stringContaining('cd') });
});

test('[cli.service] info, port and ticket print what the sandbox is and links', async () => {
  expect((await sandbox(['info'])).out).toMatch(/^version: \d/);
  expect((await sandbox(['port', '3000'])).out).toBe(`${it.proxy.url}/proxy/3000/\n`);
  expect((await sandbox(['port', 'x'])).code).toBe(2);
  const link = (await sandbox(['ticket', '/v2/commands'])).out.trim();
  expect((await fetch(link)).status).toBe(200);
});

test('[cli.open] port --open shows a link that works once', async () => {
  const shown = join(it.directory, 'shown');
  const opener = join(it.directory, 'opener');
  await writeFile(opener, `#!/bin/sh\nprintf %s "$1" > ${shown}.part && mv ${shown}.part ${shown}\n`, { mode: 0o755 });
  const { code, out } = await sandbox(['port', '--open', '3000'], '', { BROWSER: opener });
  await expect.poll(() => readFile(shown, 'utf8').catch(() => '')).toBe(out.trim());
  expect([code, out]).toEqual([0, expect.stringMatching(/\/proxy\/3000\/\?ticket=/)]);
  const without = await sandbox(['port', '--open', '3000'], '', { BROWSER: '/no/such/program' });
  expect(without).toMatchObject({ code: 125, err: expect.stringContaining('open the address yourself') });
});

test('[cli.edit] edit writes back what the editor changed, and never over a change in the sandbox', async () => {
  const file = join(it.directory, 'edited.txt');
  const by = (script: string): Record<string, string> => ({ VISUAL: '', EDITOR: `sh -c '${script}' sh` });
  expect(await sandbox(['edit', file], '', by('echo new > "$1"'))).toMatchObject({
    code: 0,
    out: `written: ${file}\n`,
  });
  expect(await readFile(file, 'utf8')).toBe('new\n');
  expect(await sandbox(['edit', file], '', by('echo more >> "$1"'))).toMatchObject({ code: 0 });
  expect(await sandbox(['edit', file], '', by('true'))).toMatchObject({ code: 0, out: 'not changed\n' });
  expect(await sandbox(['edit', file], '', by('echo lost > "$1"; exit 3'))).toMatchObject({ code: 3 });
  const raced = await sandbox(['edit', file], '', by(`echo mine > "$1"; echo theirs > ${file}`));
  expect(raced).toMatchObject({ code: 125, err: expect.stringContaining('was changed in the sandbox') });
  const kept = /what you wrote is in (.*)/.exec(raced.err)?.[1] ?? '';
  expect([await readFile(kept, 'utf8'), await readFile(file, 'utf8')]).toEqual(['mine\n', 'theirs\n']);
  await rm(dirname(kept), { recursive: true });
  expect((await sandbox(['edit', '..'])).code).toBe(2);
});

test('[cli.forward] forward carries connections to a port of the sandbox, with both ends', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const read: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => read.push(bytes)).on('end', () => socket.end(Buffer.concat(read)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'forward', `${port}:0`, '--json'], {
    env: { ...process.env, SANDBOX_URL: it.proxy.url, SANDBOX_API_KEY: KEY },
  });
  const [line] = await once(child.stdout, 'data');
  const { local } = JSON.parse(String(line)) as { readonly local: number };
  const bytes = randomBytes(4 * 1024 ** 2);
  const back = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const socket = connect({ port: local, host: '127.0.0.1', allowHalfOpen: true });
      socket.end(bytes);
      return Buffer.concat(await socket.toArray());
    }),
  );
  expect(back.map((one) => one.equals(bytes))).toEqual([true, true, true, true]);
  let reason = '';
  child.stderr.on('data', (text) => {
    reason += text;
  });
  // They connect and send nothing; one more is refused.
  const silent = Array.from({ length: 65 }, () => connect(local, '127.0.0.1').on('error', () => undefined));
  await expect.poll(() => reason).toContain('sandbox: 64 connections are open: close one of them');
  for (const socket of silent) socket.destroy();
  child.kill();
  server.close();
  expect(await sandbox(['forward', 'x'])).toMatchObject({ code: 2, err: expect.stringContaining('not a port: x') });
});

test.runIf(has('IPv6 loopback'))('[cli.forward] forward reaches a program on ::1, which has its port', async () => {
  const command = await it.sandbox.spawn('node', { args: ['-e', ECHO_ON_IPV6] });
  const { value: port } = await command.lines().next();
  expect(await command.port(Number(port))).toBe(`${it.proxy.url}/proxy/${port}/`);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'forward', `${port}:0`, '--json'], {
    env: { ...process.env, SANDBOX_URL: it.proxy.url, SANDBOX_API_KEY: KEY },
  });
  const [line] = await once(child.stdout, 'data');
  const socket = connect(JSON.parse(String(line)).local, '127.0.0.1');
  socket.end('over ::1');
  expect(Buffer.concat(await socket.toArray()).toString()).toBe('over ::1');
  child.kill();
  await command.kill();
});

test('[cli.pictures] without a browser or a display the hint of the service is printed', async () => {
  expect(await sandbox(['browser', 'open', 'http://127.0.0.1:1'])).toMatchObject({ code: 125 });
  const picture = await sandbox(['desktop', 'screenshot', join(it.directory, 'picture.png')]);
  expect(picture).toMatchObject({ code: 125, err: expect.stringContaining('desktop image') });
  expect((await sandbox(['browser', 'nonsense'])).code).toBe(125);
  expect((await sandbox(['desktop', 'nonsense'])).code).toBe(2);
  expect((await sandbox(['desktop', 'record', 'nonsense'])).code).toBe(2);
});

test('[cli.doctor] doctor prints what is there and how to get the rest', async () => {
  const { code, out } = await sandbox(['doctor']);
  expect([code, out]).toEqual([0, expect.stringMatching(/^(?:ok|absent) /m)]);
});

test('[cli.mcp] mcp serves the tools on stdin and stdout', async () => {
  const messages = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'sandbox_execute_bash', arguments: { cmd: 'echo hi' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ];
  const { out } = await sandbox(['mcp'], messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers).toMatchObject([{ id: 1, result: { content: [{ type: 'text' }] } }]);
});

test('[cli.login] login stores address and key for the account alone, and only if they are right', async () => {
  const none = { SANDBOX_URL: '', SANDBOX_API_KEY: '' };
  expect((await sandbox(['login', it.proxy.url], 'wrong\n', none)).code).toBe(125);
  expect((await sandbox(['login', it.proxy.url], `${KEY}\n`, none)).code).toBe(0);
  const file = join(it.directory, 'sandbox/login.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await sandbox(['run', '--', 'echo in'], '', none)).toMatchObject({ code: 0, out: 'in\n' });
  // Its own address, which is also that of an option; the key is sent to no other one.
  expect(await sandbox(['--url', it.proxy.url, 'ps'], '', none)).toMatchObject({ code: 0 });
  await using other = await HostileServer.start();
  const keys: unknown[] = [];
  other.answer = (response, request) => {
    keys.push(request.headers['x-api-key']);
    response.writeHead(500).end();
  };
  expect((await sandbox(['--url', other.url, 'ps'], '', none)).code).toBe(125);
  expect(keys).toEqual([undefined]);
});

test('[cli.usage] wrong use exits with 2 and names what is wrong', async () => {
  expect(await sandbox(['nonsense'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('unknown command: nonsense'),
  });
  expect(await sandbox(['run', '--nonsense'])).toMatchObject({ code: 2, err: expect.stringContaining('--nonsense') });
  expect(await sandbox(['kill'])).toMatchObject({ code: 2, err: expect.stringContaining('missing') });
  expect((await sandbox([])).out).toContain('usage: sandbox COMMAND');
  expect((await sandbox(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await sandbox(['help', 'cp'])).out).toContain('usage: sandbox cp');
  expect(await sandbox(['help', 'nonsense'])).toMatchObject({ code: 2, err: expect.stringContaining('nonsense') });
});

test('[cli.help] each command has its help, and docs/cli.md is made of them', async () => {
  expect(await readFile(join(ROOT, 'docs/cli.md'), 'utf8')).toBe(page());
  for (const { name } of COMMANDS) expect(page()).toContain(`usage: sandbox ${name}`);
  expect((await sandbox(['cp', '--help'])).out).toContain('usage: sandbox cp [-r] SOURCE TARGET');
});

test('[cli.completion] completions for bash, zsh and fish name each command', async () => {
  const { out } = await sandbox(['completion', 'bash']);
  const script = `${out}\nCOMP_WORDS=(sandbox lo); COMP_CWORD=1; _sandbox; echo "\${COMPREPLY[*]}"`;
  expect((await it.sandbox.run(script, { shell: 'bash' })).stdout).toBe('logs login\n');
  expect((await sandbox(['completion', 'zsh'])).out).toContain('bashcompinit');
  expect((await sandbox(['completion', 'fish'])).out).toContain('complete -c sandbox');
  expect((await sandbox(['completion', 'tcsh'])).code).toBe(2);
});
