import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
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
