import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Services } from '../services.ts';

const IS_WHOLE = process.env['TEST_EXTENT'] === 'whole';
const SEED = Number(process.env['TEST_SEED'] ?? 44);
const PATIENCE_MS = 20_000;
/** Bytes that drawing may need beside what the service needs anyway. */
const MEMORY_BYTES = 400 * 1024 ** 2;
const PREFIXES = ['', '?', '>', '=', '<'];
const INTERMEDIATES = ['', ' ', '!', '"', '$', "'", '#', ' $'];
const PARAMETERS = ['2147483647', '0', '65536;2147483647', '1:2147483647', ';;;2147483647', '9'.repeat(400)];

/** A generator of numbers below `bound`, the same for the same seed. */
function numbers(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** Control sequences of ECMA-48: every final character, with huge parameters, and strings that do not end. */
function* sequences(rounds: number): Generator<string> {
  const next = numbers(SEED);
  const one = (list: readonly string[]): string => list[next(list.length)] ?? '';
  for (let round = 0; round < rounds; round += 1) {
    for (let final = 0x40; final <= 0x7e; final += 1) {
      const csi = next(4) === 0 ? '\u009b' : '\x1b[';
      const parameters = round === 0 ? '2147483647' : one(PARAMETERS);
      const [prefix, intermediate] = round === 0 ? ['', ''] : [one(PREFIXES), one(INTERMEDIATES)];
      yield `a${csi}${prefix}${parameters}${intermediate}${String.fromCharCode(final)}`;
    }
    yield `\x1b${String.fromCharCode(0x30 + next(0x4f))}`;
    yield `\x1b${one([']', 'P', 'X', '^', '_'])}${'x'.repeat(next(200_000))}${one(['\x07', '\x1b\\', '\u009c', '\x18'])}`;
    yield `e${'\u0301'.repeat(next(10_000))}\x1b[2147483647b`;
  }
}

async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

test('[pty.screen-hostile] after hostile output the screens of other terminals, exec and /health answer', async () => {
  await using services = await Services.start();
  const call = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const init = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const answer = await fetch(`${services.url}${path}`, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
    const text = await answer.text();
    expect([path, answer.status, answer.ok ? '' : text]).toEqual([path, 200, '']);
    return JSON.parse(text).data;
  };
  const shell = { command: 'bash', args: ['--norc', '--noprofile'] };
  await call('/v2/pty/sessions', { id: 'innocent', ...shell, rows: 24 });
  await call('/v2/pty/sessions', { id: 'hostile', ...shell, cols: 1000, rows: 1000 });
  await call('/v2/pty/sessions/innocent/screen');
  const { pid } = services.daemon;
  const before = await residentBytes(pid);
  await call('/v2/fs/write', { path: '/tmp/hostile-output', content: [...sequences(IS_WHOLE ? 60 : 3)].join('') });
  await call('/v2/pty/sessions/hostile/exec', { command: 'cat /tmp/hostile-output', timeout: 10 });
  expect((await call('/v2/pty/sessions/innocent/exec', { command: 'echo fine' }))['output']).toBe('fine\n');
  expect((await call('/v2/pty/sessions/innocent/screen'))['output']).toContain('fine');
  expect((await fetch(`${services.url}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) })).status).toBe(200);
  // On a slow machine its screen may be given up.
  const own = await fetch(`${services.url}/v2/pty/sessions/hostile/screen`, {
    signal: AbortSignal.timeout(2 * PATIENCE_MS),
  });
  expect([200, 409]).toContain(own.status);
  expect(services.daemon.exitCode ?? services.daemon.signalCode).toBe(null);
  expect((await residentBytes(pid)) - before).toBeLessThan(MEMORY_BYTES);
});

test('[pty.widths] the screen counts two cells for an emoji', async () => {
  await using services = await Services.start();
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${services.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('/v2/pty/sessions', { id: 'a', command: 'sh', args: ['-c', "printf 'ab😀😀日'; exec sleep 100"] });
  await expect
    .poll(async () => {
      const answer = await fetch(`${services.url}/v2/pty/sessions/a/screen`);
      return ((await answer.json()) as { data: { cursor: { x: number } } }).data.cursor.x;
    })
    .toBe(8);
});
