import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const RUN = join(import.meta.dirname, 'run.ts');

/** A program that finishes its start after it has read from standard input. */
function startSlowly(outcome: string) {
  const script = `import { once } from 'node:events';
    import { runProgram } from ${JSON.stringify(RUN)};
    await runProgram('slow', async () => {
      console.log('starting');
      await once(process.stdin, 'data');
      process.stdin.destroy();
      ${outcome}
    });`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' });
}

test('a signal during the start stops the program after the start', async () => {
  // The interval keeps the program running; otherwise it could exit before it handles the signal.
  const program = startSlowly("setInterval(() => {}, 60_000); return { stop: async () => console.log('stopped') };");
  const ended = once(program, 'exit');
  await once(program.stdout, 'data');
  program.kill('SIGTERM');
  program.stdin.end('go');
  expect([await text(program.stdout), await ended]).toEqual(['stopped\n', [0, null]]);
});

test('a start that fails after a signal exits with one line of error', async () => {
  const program = startSlowly("throw new Error('start failed');");
  const ended = once(program, 'exit');
  await once(program.stdout, 'data');
  program.kill('SIGTERM');
  program.stdin.end('go');
  expect([await text(program.stderr), await ended]).toEqual(['slow: start failed\n', [1, null]]);
});

test('a program without anything to stop exits by itself', async () => {
  const program = startSlowly('return undefined;');
  const ended = once(program, 'exit');
  program.stdin.end('go');
  expect(await ended).toEqual([0, null]);
});
