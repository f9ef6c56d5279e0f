import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededBytes } from '../../../../scripts/testing/seeded-random.ts';
import { TestApp } from '../../app.fixture.ts';
import { findTool } from '../../core/tool-path.ts';
import { create, exec, info, input, screen, sharedDirectory, TestViewer } from './pty.fixture.ts';

/** Whether a program that a test drives is installed; prints a line where it is not. */
function isThere(name: string): boolean {
  const there = findTool(name) !== undefined;
  if (!there) process.stderr.write(`not tested: ${name}, which is not installed\n`);
  return there;
}

test.runIf(isThere('vim'))(
  '[pty.programs] vim edits a file on the alternate screen and restores the screen',
  async () => {
    const directory = await sharedDirectory();
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    await exec(daemon, 'a', 'echo before');
    await exec(daemon, 'a', `vim -u NONE -i NONE ${directory}/file`, { async: true });
    await screen(daemon, 'a', (output, all) => all.alternate_screen && /^~$/m.test(output));
    await input(daemon, 'a', 'ihello from vim\rsecond line');
    const edited = await screen(daemon, 'a', (_, { cursor }) => cursor.x === 11 && cursor.y === 1);
    expect(edited.output.split('\n').slice(0, 3)).toEqual(['hello from vim', 'second line', '~']);
    await input(daemon, 'a', '\x1b:wq\r');
    const after = await screen(daemon, 'a', (output, all) => !all.alternate_screen && output.includes('before'));
    expect(after.output).not.toContain('second line');
    expect(await readFile(join(directory, 'file'), 'utf8')).toBe('hello from vim\nsecond line\n');
    await rm(directory, { recursive: true });
  },
);

test.runIf(isThere('less'))('[pty.programs] less pages, searches and quits', async () => {
  await using daemon = await TestApp.start();
  await create(daemon, 'a');
  await exec(daemon, 'a', 'seq 1 1000 | less', { async: true });
  await screen(daemon, 'a', (output) => /^1\n2\n3\n/.test(output));
  await input(daemon, 'a', 'G');
  await screen(daemon, 'a', (output) => /^1000$/m.test(output));
  await input(daemon, 'a', '/^77\rggg/^500\r');
  await screen(daemon, 'a', (output) => output.startsWith('500\n501\n'));
  await input(daemon, 'a', 'q');
  await expect.poll(() => info(daemon, 'a')).toMatchObject({ status: 'idle' });
});

test.runIf(isThere('htop'))('[pty.programs] htop draws and quits', async () => {
  await using daemon = await TestApp.start();
  await create(daemon, 'a', { command: 'bash', args: ['--norc', '--noprofile'], cols: 120, rows: 40 });
  await exec(daemon, 'a', 'htop', { async: true });
  const drawn = await screen(daemon, 'a', (output) => output.includes('PID') && output.includes('F10'));
  expect(drawn).toMatchObject({ cols: 120, rows: 40, alternate_screen: true });
  await input(daemon, 'a', 'q');
  await screen(daemon, 'a', (_, all) => !all.alternate_screen);
});

test.runIf(isThere('python3'))('[pty.programs] a Python REPL reads, evaluates and prints', async () => {
  await using daemon = await TestApp.start();
  await create(daemon, 'a', { command: 'python3', args: ['-q'] });
  await screen(daemon, 'a', (output) => output.includes('>>>'));
  await input(daemon, 'a', 'import sys; sys.stdout.isatty(), 6 * 7\r');
  await screen(daemon, 'a', (output) => output.includes('(True, 42)'));
  await input(daemon, 'a', 'exit(4)\r');
  await expect.poll(() => info(daemon, 'a')).toMatchObject({ status: 'exited', exit_code: 4 });
});

test('[pty.screen] the screen as text, ANSI and HTML, with its title and cursor', async () => {
  await using daemon = await TestApp.start();
  await create(daemon, 'a', {
    command: 'bash',
    args: ['-c', "printf '\\e]2;a title\\a\\e[31mred\\e[0m plain'; read x"],
  });
  const { output, title, cursor, offset } = await screen(daemon, 'a', (text) => text.startsWith('red plain'));
  expect([output.trimEnd(), title, cursor]).toEqual(['red plain', 'a title', { x: 9, y: 0 }]);
  expect(offset).toBe((await info(daemon, 'a')).offset);
  const as = async (format: string) =>
    (await daemon.inject(`/v2/pty/sessions/a/screen?format=${format}`)).json().data.output;
  expect(await as('ansi')).toBe('\x1b[31mred\x1b[0m plain');
  expect(await as('html')).toMatch(/<span style='color: #cc0000;'>red<\/span>/);
  expect((await daemon.inject('/v2/pty/sessions/a/screen?format=pdf')).statusCode).toBe(422);
});

test('[pty.garbage] binary garbage, floods and many resizes leave the session usable', async () => {
  const directory = await sharedDirectory();
  await using daemon = await TestApp.start();
  const ws = (await daemon.listen()).replace('http', 'ws');
  await create(daemon, 'a');
  await using viewer = new TestViewer(`${ws}/v2/pty/sessions/a/ws?protocol=binary`);
  await viewer.shows('$ ');
  await writeFile(join(directory, 'garbage'), seededBytes(500_000));
  await exec(daemon, 'a', `cat ${directory}/garbage; reset`);
  for (let i = 0; i < 300; i += 1) viewer.send({ type: 'resize', cols: 20 + (i % 200), rows: 5 + (i % 60) });
  viewer.send({ type: 'resize', cols: 80, rows: 24 });
  await exec(daemon, 'a', 'timeout 0.1 yes; clear');
  // Ctrl-C reaches a program only once the terminal is its own, which the shell reports before: the program says so.
  viewer.send({ type: 'input', data: `sh -c 'echo cat-""begins; exec cat > /dev/null'\r` });
  await viewer.shows('cat-begins');
  expect(await info(daemon, 'a')).toMatchObject({ status: 'active' });
  viewer.send(Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 256 || 1).filter((byte) => byte > 31)));
  viewer.send(Buffer.from('\x03\x03'));
  await expect.poll(() => info(daemon, 'a')).toMatchObject({ status: 'idle', cols: 80, rows: 24 });
  expect(await exec(daemon, 'a', 'stty size; echo fine')).toMatchObject({ output: '24 80\nfine\n' });
  await rm(directory, { recursive: true });
}, 180_000);
