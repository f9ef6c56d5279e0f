import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readStream, SURFACES, WatchBench } from './watch-bench.fixture.ts';

async function untilWatchers({ daemon }: WatchBench, count: number): Promise<void> {
  await expect.poll(async () => (await daemon.inject('/metrics')).body).toContain(`\nwatchers ${count}\n`);
}

describe.each(SURFACES)('under %s', (surface) => {
  const isV1 = surface === '/v1/file';
  const poll = (bench: WatchBench, id: string, query: Record<string, number>) => bench.poll(id, query, surface);

  test('[watch.create] [watch.poll] [watch-v1.since] [watch-v1.envelope] events are polled from a cursor on, waited for where there is none', async () => {
    await using bench = await WatchBench.start();
    const { watcher_id, initial_cursor, reused } = await bench.create({}, surface);
    expect([initial_cursor, reused]).toEqual([0, false]);
    expect(await poll(bench, watcher_id, { cursor: 0 })).toEqual({ events: [], cursor: 0, overflow: false });
    const waiting = poll(bench, watcher_id, { cursor: 0, timeout: 60 });
    bench.write('a');
    const first = await waiting;
    expect(first).toMatchObject({ events: [{ seq: 1, type: 'create', relative_path: 'a' }], cursor: 1 });
    mkdirSync(join(bench.directory, 'd'));
    bench.write('e');
    const next = await poll(bench, watcher_id, { cursor: 1, limit: 1, timeout: 60 });
    expect(next.events.map(({ relative_path }: { relative_path: string }) => relative_path)).toEqual(['d']);
    const last = await poll(bench, watcher_id, { [isV1 ? 'since' : 'cursor']: next.cursor, timeout: 60 });
    expect(last.events[0]).toMatchObject({ relative_path: 'e', seq: 3 });
  });

  test('[watch.poll] a poll in which nothing comes is answered when its time is over, not before', async () => {
    await using bench = await WatchBench.start();
    const { watcher_id } = await bench.create({}, surface);
    const asked = performance.now();
    const nothing = await poll(bench, watcher_id, { cursor: 0, timeout: 1 });
    expect(nothing).toEqual({ events: [], cursor: 0, overflow: false });
    // A timer of Node may fire in the millisecond before its time.
    expect(performance.now() - asked).toBeGreaterThanOrEqual(999);
  });

  test('[watch.debounce] [watch.recursive] without a word of it, changes are gathered for 300 ms and below too', async () => {
    await using bench = await WatchBench.start();
    const answer = await bench.daemon.post(`${surface}/watch`, { path: bench.directory });
    expect(answer.statusCode).toBe(200);
    const { watchers } = (await bench.daemon.inject(`${surface}/watch`)).json().data;
    expect(watchers).toMatchObject([{ debounce: 300, recursive: true, include_patterns: [], subscribers: 1 }]);
  });

  test('[watch.reuse] [watch.release] [watch.list] the same configuration is shared until the last subscriber is gone', async () => {
    await using bench = await WatchBench.start();
    const { watcher_id } = await bench.create({}, surface);
    bench.write('a');
    const { cursor } = await poll(bench, watcher_id, { timeout: 60 });
    expect(await bench.create({ path: `${bench.directory}//` }, surface)).toEqual({
      watcher_id,
      initial_cursor: cursor,
      reused: true,
    });
    const listed = (await bench.daemon.inject(`${surface}/watch`)).json().data.watchers;
    expect(listed).toMatchObject([
      { watcher_id, path: bench.directory, subscribers: 2, debounce: 50, recursive: true },
    ]);
    expect(listed[0].exclude).toContain('node_modules');
    const released = async () =>
      (await bench.daemon.inject({ method: 'DELETE', url: `${surface}/watch/${watcher_id}` })).json();
    expect((await released()).data).toEqual({ watcher_id, subscribers: 1 });
    expect((await released()).data).toEqual({ watcher_id, subscribers: 0 });
    const gone = await bench.daemon.inject({ method: 'DELETE', url: `${surface}/watch/${watcher_id}` });
    expect(gone.statusCode).toBe(404);
  });

  test('[watch.sse] [watch.sse-resume] events are streamed, and a stream is taken up where it was cut', async () => {
    await using bench = await WatchBench.start();
    const base = await bench.daemon.listen();
    const { watcher_id } = await bench.create({}, surface);
    const url = `${base}${surface}/watch/${watcher_id}/events`;
    const streamed = readStream(url, ({ data }) => data['relative_path'] === 'a');
    bench.write('a');
    const [started, change] = await streamed;
    expect(started).toMatchObject({ event: 'watch_started', data: { watcher_id, path: bench.directory } });
    expect(change).toMatchObject({ event: 'file_change', id: `${watcher_id}:1`, data: { seq: 1, type: 'create' } });
    bench.write('b');
    await poll(bench, watcher_id, { cursor: 1, timeout: 60 });
    const resumed = await readStream(url, ({ event }) => event === 'file_change', {
      'last-event-id': `${watcher_id}:1`,
    });
    expect(resumed.map(({ data }) => data['relative_path'])).toEqual([undefined, 'b']);
    expect((await fetch(`${base}${surface}/watch/none/events`)).status).toBe(404);
  });

  test('[watch.default-exclude] what nobody names is excluded by default; exclude replaces the list', async () => {
    await using bench = await WatchBench.start();
    const byDefault = await bench.create({}, surface);
    const all = await bench.create({ exclude: [] }, surface);
    expect(all.watcher_id).not.toBe(byDefault.watcher_id);
    const listed: { exclude: string[] }[] = (await bench.daemon.inject(`${surface}/watch`)).json().data.watchers;
    expect(listed.map(({ exclude }) => [...exclude].sort())).toEqual([
      ['*.pyc', '*.pyo', '*.swo', '*.swp', '.DS_Store', '.git', '.venv', '__pycache__', 'node_modules'],
      [],
    ]);
    for (const name of ['.git', 'node_modules', '__pycache__']) mkdirSync(join(bench.directory, name));
    for (const name of ['.git/HEAD', 'node_modules/m.js', 'a.pyc', '.b.swp', 'last']) bench.write(name);
    const paths = async (id: string) => {
      const told: string[] = [];
      for (let cursor = 0; !told.includes('last'); ) {
        const answer = await poll(bench, id, { cursor, timeout: 60 });
        told.push(...answer.events.map((event: { relative_path: string }) => event.relative_path));
        cursor = answer.cursor;
      }
      return told;
    };
    expect(await paths(byDefault.watcher_id)).toEqual(['last']);
    expect(await paths(all.watcher_id)).toEqual(
      expect.arrayContaining(['.git', 'node_modules', '__pycache__', 'a.pyc', '.b.swp', 'last']),
    );
  });

  test('a stream ends when its watcher is stopped', async () => {
    await using bench = await WatchBench.start();
    const base = await bench.daemon.listen();
    const { watcher_id } = await bench.create({}, surface);
    const answer = await fetch(`${base}${surface}/watch/${watcher_id}/events`);
    await fetch(`${base}${surface}/watch/${watcher_id}`, { method: 'DELETE' });
    expect(await answer.text()).toContain('watch_started');
  });

  test('[watch.bounds] what cannot be is refused by the name of its field', async () => {
    await using bench = await WatchBench.start();
    const refused = async (body: object) => {
      const answer = await bench.daemon.post(`${surface}/watch`, body);
      return {
        status: answer.statusCode,
        fields: answer.json().errors?.map((issue: { location: string[] }) => issue.location[1]),
      };
    };
    expect(await refused({})).toEqual({ status: 422, fields: ['path'] });
    expect(await refused({ path: bench.directory, debounce: 49 })).toEqual({ status: 422, fields: ['debounce'] });
    expect(await refused({ path: bench.directory, debounce: 5001 })).toEqual({ status: 422, fields: ['debounce'] });
    expect(await refused({ path: bench.directory, debounce: 5000 })).toMatchObject({ status: 200 });
    expect(await refused({ path: bench.directory, exclude: ['{a,b}'.repeat(20)] })).toMatchObject({
      status: isV1 ? 200 : 400,
    });
    const relative = await bench.daemon.post(`${surface}/watch`, { path: 'tmp' });
    expect([relative.statusCode, relative.json().data.error_type]).toEqual([isV1 ? 200 : 400, 'invalid_path']);
    const missing = await bench.daemon.post(`${surface}/watch`, { path: join(bench.directory, 'no') });
    expect([missing.statusCode, missing.json().data.error_type]).toEqual([isV1 ? 200 : 404, 'not_found']);
    const { watcher_id } = await bench.create({}, surface);
    const url = `${surface}/watch/${watcher_id}/poll`;
    const status = async (name: string, value: number) =>
      (await (isV1 ? bench.daemon.post(url, { [name]: value }) : bench.daemon.inject(`${url}?${name}=${value}`)))
        .statusCode;
    expect([await status('limit', 1), await status('limit', 1000)]).toEqual([200, 200]);
    for (const [name, value] of [
      ['limit', 0],
      ['limit', 1001],
      ['timeout', -1],
      ['timeout', 61],
      ['cursor', -1],
    ] as const)
      expect([name, value, await status(name, value)]).toEqual([name, value, 422]);
  });
});

describe('[watch-v1.wait] waiting for one event', () => {
  const wait = (bench: WatchBench, body: object) => bench.daemon.post('/v1/file/watch/wait', body);

  test('a file that is there is the answer where create is asked for', async () => {
    await using bench = await WatchBench.start();
    bench.write('a');
    const answer = await wait(bench, { path: join(bench.directory, 'a') });
    expect(answer.json().data.event).toMatchObject({ type: 'create', path: join(bench.directory, 'a'), size: 1 });
  });

  test('a file that comes, deep where nothing is yet, and a change of a file that is there', async () => {
    await using bench = await WatchBench.start();
    const waiting = wait(bench, { path: join(bench.directory, 'x/y/z'), event_types: ['create'], timeout: 300 });
    await untilWatchers(bench, 1);
    mkdirSync(join(bench.directory, 'x/y'), { recursive: true });
    bench.write('x/y/z');
    expect((await waiting).json().data.event).toMatchObject({ type: 'create', relative_path: '' });
  });

  test('what does not come is 503 without Retry-After', async () => {
    await using bench = await WatchBench.start();
    bench.write('a');
    const asked = performance.now();
    const answer = await wait(bench, { path: join(bench.directory, 'a'), event_types: ['remove'], timeout: 1 });
    expect(answer.statusCode).toBe(503);
    expect(performance.now() - asked).toBeGreaterThanOrEqual(999);
    expect(answer.headers['retry-after']).toBeUndefined();
    expect((await bench.daemon.inject('/metrics')).body).toMatch(/^watchers 0$/m);
  });

  test('a caller that goes away leaves no watcher behind', async () => {
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
