import { mkdirSync, rmSync } from 'node:fs';
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

  test('docs/contract.md §12 /file/watch wait event: a file is reported by its name, below directories that do not exist yet', async () => {
    await using bench = await WatchBench.start();
    const waiting = wait(bench, { path: join(bench.directory, 'x/y/z'), event_types: ['create'], timeout: 300 });
    await untilWatchers(bench, 1);
    mkdirSync(join(bench.directory, 'x/y'), { recursive: true });
    bench.write('x/y/z');
    expect((await waiting).json().data.event).toMatchObject({ type: 'create', relative_path: 'z' });
  });

  test('[watch-field.wait-exact] a change below the path is not an event of the path', async () => {
    await using bench = await WatchBench.start();
    mkdirSync(join(bench.directory, 'd'));
    const waiting = wait(bench, { path: join(bench.directory, 'd'), event_types: ['create', 'remove'], timeout: 300 });
    // The directory is there, so create is answered at once.
    expect((await waiting).json().data.event).toMatchObject({ type: 'create', relative_path: 'd', is_dir: true });
    const removal = wait(bench, { path: join(bench.directory, 'd'), event_types: ['write', 'remove'], timeout: 300 });
    await untilWatchers(bench, 1);
    bench.write('d/below');
    rmSync(join(bench.directory, 'd'), { recursive: true });
    expect((await removal).json().data.event).toMatchObject({
      type: 'remove',
      path: join(bench.directory, 'd'),
      relative_path: 'd',
    });
  });

  test('[watch-field.wait-create] [watch-field.wait-old-path] without create only later changes of the path count', async () => {
    await using bench = await WatchBench.start();
    bench.write('f');
    const waiting = wait(bench, { path: join(bench.directory, 'f'), event_types: ['write', 'remove'], timeout: 300 });
    await untilWatchers(bench, 1);
    bench.write('other');
    bench.write('f');
    const { event } = (await waiting).json().data;
    expect(event).toMatchObject({ type: 'write', relative_path: 'f', old_path: null });
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
