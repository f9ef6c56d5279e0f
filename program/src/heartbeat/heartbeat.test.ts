import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { type TempDir, tempDir } from '../../../scripts/testing/temp-dir.ts';
import { BEAT, DEBUGGED } from './beats.ts';
import { untilWatched } from './stall-thread.fixture.ts';

const BEATS = 3;
/** A busy machine may take a second for the stack. */
const STALL_SECONDS = 8;
let dir: TempDir;
const started: ChildProcess[] = [];

beforeEach(async () => {
  dir = await tempDir();
});

afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await dir[Symbol.asyncDispose]();
});

interface Program {
  readonly child: ChildProcess;
  readonly beats: Readable;
  readonly output: () => string;
  /** Resolves when the output contains the text. */
  readonly says: (text: string) => Promise<void>;
}

/** Runs a program with a heartbeat and `code`. */
function run(code: string, { args = [] as string[], fd = 'pipe' as 'pipe' | number } = {}): Program {
  const source = `
    import { spawnSync } from 'node:child_process';
    import { existsSync, readFileSync } from 'node:fs';
    import { startHeartbeat, takeHeartbeatFd } from ${JSON.stringify(join(import.meta.dirname, 'heartbeat.ts'))};
    const fd = takeHeartbeatFd(process.env);
    startHeartbeat(fd, { name: 'toy', stallSeconds: ${STALL_SECONDS}, logLevel: 'info' });
    setInterval(() => {}, 1000);
    ${code}
    console.log('up');`;
  const child = spawn(process.execPath, [...args, '--input-type=module-typescript', '--eval', source], {
    env: { ...process.env, SVC_HEARTBEAT_FD: String(BEATS) },
    stdio: ['ignore', 'pipe', 'ignore', fd],
  });
  started.push(child);
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    child.emit('said');
  });
  const says = async (wanted: string): Promise<void> => {
    while (!text.includes(wanted)) await once(child, 'said');
  };
  return { child, beats: child.stdio[BEATS] as Readable, output: () => text, says };
}

/** Makes the main loop stop once the thread that watches it runs. */
async function stopLoop({ child }: Program): Promise<void> {
  await untilWatched(child.pid ?? 0);
  child.kill('SIGUSR2');
}

function errorIn(log: string): unknown {
  const line = log.split('\n').find((text) => text.includes('"level":"error"')) ?? '{}';
  return JSON.parse(line);
}

test('beats come while the main loop turns; children inherit neither the variable nor the descriptor', async () => {
  const { beats, output, says } = run(`
    const { status } = spawnSync('sh', ['-c', 'echo x >&3'], { stdio: 'ignore' });
    console.log('variable ' + process.env.SVC_HEARTBEAT_FD + ', inherited ' + (status === 0));`);
  const [first] = await once(beats, 'data');
  const [second] = await once(beats, 'data');
  expect([...first, ...second].every((byte) => byte === BEAT)).toBe(true);
  await says('variable');
  expect(output()).toContain('variable undefined, inherited false');
});

test('without a parent that counts beats there are none', async () => {
  const source = `
    import { startHeartbeat, takeHeartbeatFd } from ${JSON.stringify(join(import.meta.dirname, 'heartbeat.ts'))};
    startHeartbeat(takeHeartbeatFd(process.env), { name: 'toy', stallSeconds: 10, logLevel: 'info' });
    startHeartbeat(7, { name: 'toy', stallSeconds: 0, logLevel: 'info' });
    console.log(process.getActiveResourcesInfo().join());`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module-typescript', '--eval', source]);
  expect([status, String(stdout)]).toEqual([0, '\n']);
});

test('a descriptor that is no pipe is an error', () => {
  const source = `
    import { startHeartbeat } from ${JSON.stringify(join(import.meta.dirname, 'heartbeat.ts'))};
    startHeartbeat(Number('x'), { name: 'toy', stallSeconds: 10, logLevel: 'info' });`;
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module-typescript', '--eval', source]);
  expect([status, String(stderr)]).toEqual([1, expect.stringContaining('fd')]);
});

describe.runIf(has('linux'))('where the main thread stands', () => {
  test('[stall.stack] a main loop that stops in JavaScript has its stack in the log, and is not disturbed', async () => {
    const go = join(dir.path, 'go');
    const program = run(`
    function waitsForFile() { while (!existsSync(${JSON.stringify(go)})); }
    process.on('SIGUSR2', () => { waitsForFile(); console.log('continued'); });`);
    const { says, output } = program;
    await says('up');
    await stopLoop(program);
    await says('"level":"error"');
    expect(errorIn(output())).toMatchObject({
      level: 'error',
      name: 'toy',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      msg: 'main loop has not turned for 4 s',
      err: { message: 'in JavaScript', stack: expect.stringMatching(/\n {4}at waitsForFile \(\[eval\]:\d+:\d+\)\n/) },
    });
    writeFileSync(go, '');
    await says('continued');
  });

  test('[stall.stack] a main loop that stops in a system call has that in the log', async () => {
    const fifo = join(dir.path, 'fifo');
    spawnSync('mkfifo', [fifo]);
    const program = run(`
    process.on('SIGUSR2', () => console.log('read ' + readFileSync(${JSON.stringify(fifo)}, 'utf8')));`);
    const { says, output } = program;
    await says('up');
    await stopLoop(program);
    await says('"level":"error"');
    expect(errorIn(output())).toMatchObject({ err: { message: 'in a system call', stack: 'in a system call' } });
    writeFileSync(fifo, 'back');
    await says('read back');
  });
});

test('[stall.debugger] under a debugger the beats say so', async () => {
  const { beats } = run('', { args: ['--inspect=127.0.0.1:0'] });
  const [bytes] = await once(beats, 'data');
  expect(bytes[0]).toBe(DEBUGGED);
});

test('a parent that does not read does not block the program', async () => {
  const fifo = join(dir.path, 'beats');
  spawnSync('mkfifo', [fifo]);
  const filler = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  expect(() => {
    for (;;) writeSync(filler, Buffer.alloc(4096));
  }).toThrow('EAGAIN');
  const fd = openSync(fifo, constants.O_RDWR);
  const { child, says } = run(`process.on('SIGUSR2', () => console.log('still here'));`, { fd });
  closeSync(fd);
  await says('up');
  child.kill('SIGUSR2');
  await says('still here');
  closeSync(filler);
});
