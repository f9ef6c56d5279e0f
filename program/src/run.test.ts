import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const RUN = join(import.meta.dirname, 'run.ts');

/** A program whose start takes until something comes on its standard input. */
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

test('a signal that comes during the start is heeded when that is done', async () => {
  // It holds something, as what runs does: else it could end before the signal is seen.
  const program = startSlowly("setInterval(() => {}, 60_000); return { stop: async () => console.log('stopped') };");
  const ended = once(program, 'exit');
  await once(program.stdout, 'data');
  program.kill('SIGTERM');
  program.stdin.end('go');
  expect([await text(program.stdout), await ended]).toEqual(['stopped\n', [0, null]]);
});

test('a start that fails after a signal ends with its one line', async () => {
  const program = startSlowly("throw new Error('no luck');");
  const ended = once(program, 'exit');
  await once(program.stdout, 'data');
  program.kill('SIGTERM');
  program.stdin.end('go');
  expect([await text(program.stderr), await ended]).toEqual(['slow: no luck\n', [1, null]]);
});

test('what only says something and has nothing to stop ends by itself', async () => {
  const program = startSlowly('return undefined;');
  const ended = once(program, 'exit');
  program.stdin.end('go');
  expect(await ended).toEqual([0, null]);
});
