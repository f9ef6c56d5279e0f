import { expect, test } from 'vitest';
import { fetchPatiently } from '../../scripts/testing/patience.ts';
import { memoryOf } from '../../scripts/testing/process-memory.ts';
import { Services } from '../services.ts';
import { controlSequences, randomCuts } from './engines/control-sequences.ts';
import { IS_WHOLE, numbersOf, SEED } from './engines/seed.ts';

const PATIENCE_MS = 20_000;
/** Bytes that drawing may need beside what the service needs anyway. */
const MEMORY_BYTES = 400 * 1024 ** 2;
/** Each batch goes to a terminal of its own: one whose screen is given up draws nothing more. */
const [BATCHES, ROUNDS, PIECES] = IS_WHOLE ? [40, 3, 100] : [2, 2, 40];
const OUTPUT = '/tmp/hostile-output';

test('[pty.screen-hostile] [engines.control-sequences] after hostile output screens, exec and /health answer', async () => {
  await using services = await Services.start();
  const call = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const init = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const { status, text } = await fetchPatiently(`${services.url}${path}`, { ...init, ms: PATIENCE_MS });
    expect([path, status, status === 200 ? '' : text]).toEqual([path, 200, '']);
    return JSON.parse(text).data;
  };
  const shell = { command: 'bash', args: ['--norc', '--noprofile'] };
  await call('/v2/pty/sessions', { id: 'innocent', ...shell, rows: 24 });
  await call('/v2/pty/sessions/innocent/screen');
  const pid = Number(services.daemon.pid);
  const before = memoryOf(pid).rss;
  const next = numbersOf(SEED);
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const what = `ATTACK_SEED=${SEED}, batch ${batch}`;
    const id = `hostile-${batch}`;
    const bytes = controlSequences(next, ROUNDS);
    const cuts = randomCuts(next, bytes.length, PIECES).join(' ');
    await call('/v2/fs/write', { path: OUTPUT, content: bytes.toString('base64'), encoding: 'base64' });
    await call('/v2/pty/sessions', { id, ...shell, cols: 1 + next(1_000), rows: 1 + next(1_000) });
    const command = `for n in ${cuts}; do head -c $n <&3; done 3< ${OUTPUT}`;
    await call(`/v2/pty/sessions/${id}/exec`, { command, timeout: 10 });
    expect((await call('/v2/pty/sessions/innocent/exec', { command: `echo fine-${batch}` }))['output']).toBe(
      `fine-${batch}\n`,
    );
    expect((await call('/v2/pty/sessions/innocent/screen'))['output']).toContain(`fine-${batch}`);
    expect((await fetchPatiently(`${services.url}/health`, { ms: PATIENCE_MS })).status).toBe(200);
    // On a slow machine its screen may be given up.
    const own = await fetchPatiently(`${services.url}/v2/pty/sessions/${id}/screen`, { ms: 2 * PATIENCE_MS });
    expect([what, [200, 409].includes(own.status) ? '' : `${own.status} ${own.text}`]).toEqual([what, '']);
    expect([what, services.daemon.exitCode, services.daemon.signalCode]).toEqual([what, null, null]);
    expect(memoryOf(pid).rss - before, what).toBeLessThan(MEMORY_BYTES);
    await fetch(`${services.url}/v2/pty/sessions/${id}`, { method: 'DELETE' });
  }
}, 900_000);

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
