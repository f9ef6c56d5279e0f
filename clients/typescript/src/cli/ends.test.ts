import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestSandbox } from '../client.fixture.ts';

let it: TestSandbox;
beforeAll(async () => {
  it = await TestSandbox.start();
});
afterAll(() => it[Symbol.asyncDispose]());

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

function sandbox(...words: readonly string[]): Child {
  return spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...words], {
    env: { ...process.env, SANDBOX_URL: it.proxy.url, XDG_CONFIG_HOME: it.directory },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Commands that run. */
async function running(): Promise<readonly string[]> {
  return (await it.sandbox.commands()).filter(({ status }) => status === 'running').map(({ command }) => command);
}

/** How many of a kind the service has. */
async function count(path: string, list: string): Promise<number> {
  const answer = await fetch(`${it.proxy.url}/v2/${path}`);
  const { data } = (await answer.json()) as { readonly data: Readonly<Record<string, object>> };
  return Object.keys(data[list] ?? {}).length;
}

test('[cli.bytes] run passes bytes of stdin and stdout on as they are', async () => {
  const bytes = randomBytes(3 * 1024 ** 2);
  const child = sandbox('run', '-i', '--', 'cat');
  const exited = once(child, 'exit');
  child.stdin.end(bytes);
  const [out, err, [code]] = await Promise.all([buffer(child.stdout), buffer(child.stderr), exited]);
  expect([out.equals(bytes), err.toString(), code]).toEqual([true, '', 0]);
  const [{ commandId } = { commandId: '' }] = await it.sandbox.commands({ limit: 1 });
  const logged = await buffer(sandbox('logs', commandId).stdout);
  expect(createHash('sha256').update(logged).digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
});

test('[cli.bytes] run -i ends with its command, also if stdin goes on', async () => {
  const child = sandbox('run', '-i', '--', 'head -1; exit 3');
  child.stdin.on('error', () => undefined).write('first\nsecond\n');
  const exited = once(child, 'exit');
  expect((await buffer(child.stdout)).toString()).toBe('first\n');
  expect(await exited).toEqual([3, null]);
  const both = sandbox('run', '-d', '-i', '--', 'cat');
  expect(await once(both, 'exit')).toEqual([2, null]);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('[cli.signals] %s of run is for the command, with its last output', async (signal, code) => {
  const child = sandbox(
    'run',
    '--',
    `trap 'echo ended; trap - ${signal}; kill -${signal} $$' ${signal}; echo begun; sleep 1000 & wait`,
  );
  const exited = once(child, 'exit');
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  await expect.poll(() => out).toBe('begun\n');
  child.kill(signal);
  expect(await exited).toEqual([code, null]);
  expect(out).toBe('begun\nended\n');
  expect(await running()).toEqual([]);
});

test('[cli.signals] a second signal kills a command that ignores the first', async () => {
  const child = sandbox('run', '--', `trap 'echo caught' INT; echo begun; while :; do sleep 0.1; done`);
  const exited = once(child, 'exit');
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  await expect.poll(() => out).toContain('begun');
  child.kill('SIGINT');
  await expect.poll(() => out).toContain('caught');
  child.kill('SIGINT');
  await exited;
  await expect.poll(running).toEqual([]);
});

test('[cli.signals] a signal ends what watch, code and shell hold in the sandbox, and cp its part of a file', async () => {
  const big = join(it.directory, 'big');
  await writeFile(big, Buffer.alloc(8 * 1024 ** 2));
  const held: readonly (readonly [readonly string[], () => Promise<number>])[] = [
    [['watch', it.directory], () => count('watch', 'watchers')],
    [['code', '-l', 'javascript'], () => count('code/sessions', 'sessions')],
    [['shell'], () => count('pty/sessions', 'sessions')],
  ];
  for (const [words, holds] of held) {
    const child = sandbox(...words);
    const exited = once(child, 'exit');
    if (words[0] === 'code') child.stdin.end('for (;;);');
    await expect.poll(holds).toBe(1);
    child.kill('SIGINT');
    expect([words, await exited]).toEqual([words, [null, 'SIGINT']]);
    expect([words, await holds()]).toEqual([words, 0]);
  }
  it.proxy.cutAfter = 100_000;
  const child = sandbox('cp', `sandbox:${big}`, join(it.directory, 'copy'));
  const exited = once(child, 'exit');
  const parts = async (): Promise<readonly string[]> =>
    (await readdir(it.directory)).filter((name) => name.endsWith('.part'));
  await expect.poll(parts).toHaveLength(1);
  child.kill('SIGTERM');
  expect(await exited).toEqual([null, 'SIGTERM']);
  it.proxy.cutAfter = undefined;
  expect(await parts()).toEqual([]);
});

test.each([
  ['run', ['run', '--', 'yes']],
  ['watch', ['watch']],
] as const)('[cli.pipe] %s with a stdout that is closed ends what it holds, with 141', async (name, words) => {
  const child = sandbox(...words, ...(name === 'watch' ? [it.directory] : []));
  const exited = once(child, 'exit');
  const changing = setInterval(() => void writeFile(join(it.directory, 'changed'), String(Math.random())), 100);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect(await exited).toEqual([141, null]);
  clearInterval(changing);
  expect([await running(), await count('watch', 'watchers')]).toEqual([[], 0]);
});

test('[cli.edit] Ctrl-C in the editor ends neither edit nor the shell that runs the editor', async () => {
  const file = join(it.directory, 'edited');
  // To its process group, as a terminal sends it; the editor ignores it.
  const editor = `sh -c 'trap "" INT; kill -INT 0; echo kept > "$1"' sh`;
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'edit', file], {
    env: { ...process.env, SANDBOX_URL: it.proxy.url, VISUAL: editor },
    stdio: 'ignore',
    detached: true,
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await readFile(file, 'utf8')).toBe('kept\n');
});
