import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { expect, test, vi } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { readConfig } from '../../config.ts';
import { examine } from '../doctor.ts';
import { EnvDirectory } from './env-directory.ts';

const logger = createLogger('test', 'silent');

test('files of lines and files of one value are read in the order of their names', async () => {
  await using directory = await tempDir();
  const file = (name: string, text: string) => writeFile(join(directory.path, name), text);
  await file('10-base.env', '# comment\nA=1\nexport B="two words"\nnot a line\n');
  await file('20-more.env', 'A=2\n');
  await file('TOKEN', 'secret\n');
  await file('LINES', 'one\ntwo\n\n');
  await file('..data', 'X=1');
  await file('notes.txt', 'X=1');
  expect(new EnvDirectory(directory.path, logger).current()).toEqual({
    A: '2',
    B: 'two words',
    TOKEN: 'secret',
    LINES: 'one\ntwo\n',
  });
});

test('what did not change is the same object; a change, a removal and a swapped link are seen', async () => {
  await using directory = await tempDir();
  const env = new EnvDirectory(directory.path, logger);
  expect(env.current()).toEqual({});
  await writeFile(join(directory.path, 'A'), 'one');
  const first = env.current();
  expect(first).toEqual({ A: 'one' });
  expect(env.current()).toBe(first);
  await writeFile(join(directory.path, 'A'), 'two');
  expect(env.current()).toEqual({ A: 'two' });
  for (const [name, value] of [
    ['..1', 'x'],
    ['..2', 'y'],
  ] as const) {
    await mkdir(join(directory.path, name));
    await writeFile(join(directory.path, name, 'B'), value);
  }
  await symlink('..1', join(directory.path, '..data'));
  await symlink('..data/B', join(directory.path, 'B'));
  expect(env.current()).toEqual({ A: 'two', B: 'x' });
  await symlink('..2', join(directory.path, '..next'));
  await rename(join(directory.path, '..next'), join(directory.path, '..data'));
  expect(env.current()).toEqual({ A: 'two', B: 'y' });
  await rm(join(directory.path, 'A'));
  expect(env.current()).toEqual({ B: 'y' });
});

test('a directory that is missing, a FIFO, a value with NUL and a file that is too large are left out', async () => {
  await using directory = await tempDir();
  expect(new EnvDirectory(join(directory.path, 'missing'), logger).current()).toEqual({});
  execFileSync('mkfifo', [join(directory.path, 'PIPE')]);
  await mkdir(join(directory.path, 'DIRECTORY'));
  await writeFile(join(directory.path, 'NUL'), 'a\0b');
  await writeFile(join(directory.path, 'LARGE'), 'x'.repeat(1024 * 1024 + 1));
  await symlink('nowhere', join(directory.path, 'DANGLING'));
  await writeFile(join(directory.path, 'GOOD'), 'x');
  expect(new EnvDirectory(directory.path, logger).current()).toEqual({ GOOD: 'x' });
});

const LARGE = 'x'.repeat(200_000);

test('[run.exec-limits] a value that no process can have is left out with one log line, and everything starts', async () => {
  await using directory = await tempDir();
  await writeFile(join(directory.path, '10-base.env'), `BIG=${LARGE}\nTASK=seven\n`);
  await writeFile(join(directory.path, 'BIG_TOO'), LARGE);
  for (let index = 100; index < 130; index += 1)
    await writeFile(join(directory.path, `V${index}`), 'x'.repeat(100_000));
  await using daemon = await TestApp.start({ envDir: directory.path, logLevel: 'warn' });
  const command = `echo "$TASK \${#BIG} \${#BIG_TOO} \${#V100} \${#V129}"`;
  expect((await daemon.run(command)).stdout).toBe('seven 0 0 100000 0\n');
  expect((await daemon.run(command)).stdout).toBe('seven 0 0 100000 0\n');
  const lines = daemon.log.filter((line) => line.includes('environment file'));
  expect(lines).toHaveLength(10);
  expect(lines[0]).toContain('"variable":"BIG"');
  const started: [string, object][] = [
    ['/v2/commands/sessions', { env: { A: 'b' } }],
    ['/v2/pty/sessions', { id: 't', command: 'sh', env: { A: 'b' } }],
    ['/v2/code/execute', { language: 'javascript', code: 'process.env.TASK' }],
    ['/v2/code/execute', { language: 'bash', code: 'echo $TASK' }],
    ['/v1/bash/exec', { command: 'echo $TASK' }],
  ];
  for (const [url, body] of started) expect([url, (await daemon.post(url, body)).statusCode]).toEqual([url, 200]);
});

test('[run.exec-limits] doctor names what is left out, and the share of one address', async () => {
  await using directory = await tempDir();
  const rowsOf = async (env: Record<string, string>) => {
    const all = await examine(readConfig([], { SVC_ENV_DIR: directory.path, ...env }), []);
    return all.filter(({ name }) => name === 'environment files' || name === 'connections of one address');
  };
  vi.stubEnv('SVC_CONNECTIONS_PER_ADDRESS', '0');
  await writeFile(join(directory.path, 'TASK'), 'seven');
  expect(await rowsOf({})).toMatchObject([
    { ok: true, required: false, detail: expect.stringContaining('1 variables') },
    { ok: true, detail: expect.stringContaining('no limit') },
  ]);
  await writeFile(join(directory.path, 'BIG'), LARGE);
  vi.stubEnv('SVC_CONNECTIONS_PER_ADDRESS', '7000');
  expect(await rowsOf({})).toMatchObject([
    { ok: false, required: false, detail: expect.stringMatching(/BIG of BIG: it has 200005 bytes/) },
    { ok: false, required: true, detail: expect.stringContaining('7000') },
  ]);
  vi.unstubAllEnvs();
  expect(await rowsOf({})).toMatchObject([{}, { ok: true, detail: expect.stringContaining('512') }]);
});

test('[late.env-dir] what runs keeps its environment, what starts gets the new one, terminals too', async () => {
  await using directory = await tempDir();
  await writeFile(join(directory.path, 'TASK'), 'old');
  await writeFile(join(directory.path, 'SVC_API_KEY'), 'never');
  await using daemon = await TestApp.start({ envDir: directory.path });
  const { command_id } = await daemon.run('read line; echo $TASK', { mode: 'async' });
  await writeFile(join(directory.path, 'TASK'), 'new');
  expect((await daemon.run('echo $TASK $SVC_API_KEY')).stdout).toBe('new\n');
  const terminal = { id: 't', command: 'sh' };
  await daemon.post('/v2/pty/sessions', terminal);
  const { data } = (await daemon.post('/v2/pty/sessions/t/exec', { command: 'echo "<$TASK>"' })).json();
  expect(data.output).toContain('<new>');
  await daemon.post(`/v2/commands/${command_id}/stdin`, { input: '\n' });
  const ended = await daemon.inject(`/v2/commands/${command_id}?wait=true`);
  expect(ended.json().data.stdout).toBe('old\n');
});
