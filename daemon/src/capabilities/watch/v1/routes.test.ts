import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { WatchBench } from '../watch-bench.fixture.ts';
import { describeWatchRoutes } from '../watch-routes.fixture.ts';
import { V1 } from './surface.fixture.ts';

describeWatchRoutes(V1);

async function untilWatchers({ daemon }: WatchBench, count: number): Promise<void> {
  await expect.poll(async () => (await daemon.inject('/metrics')).body).toContain(`\nwatchers ${count}\n`);
}

describe('[watch-v1.wait] waiting for one event', () => {
  const wait = (bench: WatchBench, body: object) => bench.daemon.post('/v1/file/watch/wait', body);

  test('an existing file is the answer to a wait for create', async () => {
    await using bench = await WatchBench.start();
    bench.write('a');
    const answer = await wait(bench, { path: join(bench.directory, 'a') });
    expect(answer.json().data.event).toMatchObject({ type: 'create', path: join(bench.directory, 'a'), size: 1 });
  });

  test('a file is reported that is created below directories which do not exist yet', async () => {
    await using bench = await WatchBench.start();
    const waiting = wait(bench, { path: join(bench.directory, 'x/y/z'), event_types: ['create'], timeout: 300 });
    await untilWatchers(bench, 1);
    mkdirSync(join(bench.directory, 'x/y'), { recursive: true });
    bench.write('x/y/z');
    expect((await waiting).json().data.event).toMatchObject({ type: 'create', relative_path: '' });
  });

  test('a wait without an event is 503 without Retry-After', async () => {
    await using bench = await WatchBench.start();
    bench.write('a');
    const asked = performance.now();
    const answer = await wait(bench, { path: join(bench.directory, 'a'), event_types: ['remove'], timeout: 1 });
    expect(answer.statusCode).toBe(503);
    expect(performance.now() - asked).toBeGreaterThanOrEqual(999);
    expect(answer.headers['retry-after']).toBeUndefined();
    expect((await bench.daemon.inject('/metrics')).body).toMatch(/^watchers 0$/m);
  });

  test('a caller that disconnects leaves no watcher behind', async () => {
    await using bench = await WatchBench.start();
    const base = await bench.daemon.listen();
    const stop = new AbortController();
    const body = JSON.stringify({ path: join(bench.directory, 'a'), timeout: 300 });
    const waiting = fetch(`${base}/v1/file/watch/wait`, { method: 'POST', body, signal: stop.signal }).catch(
      () => 'cut',
    );
    await untilWatchers(bench, 1);
    stop.abort();
    expect(await waiting).toBe('cut');
    await untilWatchers(bench, 0);
  });
});
