import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';

const PROGRAM = `
  import { stopWithParent } from ${JSON.stringify(join(import.meta.dirname, 'parent.ts'))};
  const reads = !process.env.SVC_PARENT_PIPE;
  stopWithParent(process.env);
  process.on('SIGTERM', () => { console.log('stopped ' + process.env.SVC_PARENT_PIPE); process.exit(0); });
  process.on('SIGUSR2', () => { console.log('still here'); process.exit(0); });
  if (reads) process.stdin.once('end', () => console.log('at the end')).resume();
  setInterval(() => {}, 1000);
  console.log('up');
`;

function program(env: Record<string, string>): ChildProcess & { readonly output: () => string } {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', PROGRAM], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return Object.assign(child, { output: () => text });
}

test('the end of standard input stops the program gracefully, and children do not inherit the variable', async () => {
  const child = program({ SVC_PARENT_PIPE: '1' });
  await once(child.stdout ?? child, 'data');
  child.stdin?.end();
  const [code] = await once(child, 'close');
  expect([code, child.output()]).toEqual([0, 'up\nstopped undefined\n']);
});

test('without the variable the end of standard input is ignored', async () => {
  const child = program({});
  await once(child.stdout ?? child, 'data');
  child.stdin?.end();
  await once(child.stdout ?? child, 'data');
  // If the end of standard input stopped the program, it would do so before this output.
  child.kill('SIGUSR2');
  const [code] = await once(child, 'close');
  expect([code, child.output()]).toEqual([0, 'up\nat the end\nstill here\n']);
});
