import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStream, type Surface, WatchBench } from './watch-bench.fixture.ts';

/** Tests of the routes that every surface has. */
export function describeWatchRoutes(surface: Surface): void {
  describePolls(surface);
  describeStreams(surface);
  describeTerms(surface);
}

function describePolls(surface: Surface): void {
  const { prefix } = surface;
  const poll = (bench: WatchBench, id: string, query: Record<string, number>) => bench.poll(id, query, surface);

  test('[watch.create] [watch.poll] [watch-v1.since] [watch-v1.envelope] a poll answers the events after a cursor, or waits for the next one', async () => {
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
    const last = await poll(bench, watcher_id, { [surface.cursorField]: next.cursor, timeout: 60 });
    expect(last.events[0]).toMatchObject({ relative_path: 'e', seq: 3 });
  });

  test('[watch.poll] a poll without an event is answered when its time is over, not before', async () => {
    await using bench = await WatchBench.start();
    const { watcher_id } = await bench.create({}, surface);
    const asked = performance.now();
    const nothing = await poll(bench, watcher_id, { cursor: 0, timeout: 1 });
    expect(nothing).toEqual({ events: [], cursor: 0, overflow: false });
    // A timer of Node may fire in the millisecond before its time.
    expect(performance.now() - asked).toBeGreaterThanOrEqual(999);
  });

  test('[watch.debounce] [watch.recursive] by default changes are collected for 300 ms, recursively', async () => {
    await using bench = await WatchBench.start();
    const answer = await bench.daemon.post(`${prefix}/watch`, { path: bench.directory });
    expect(answer.statusCode).toBe(200);
    const { watchers } = (await bench.daemon.inject(`${prefix}/watch`)).json().data;
    expect(watchers).toMatchObject([{ debounce: 300, recursive: true, include_patterns: [], subscribers: 1 }]);
  });

  test('[watch.reuse] [watch.release] [watch.list] the same configuration is shared until its last subscriber is released', async () => {
    await using bench = await WatchBench.start();
    const { watcher_id } = await bench.create({}, surface);
    bench.write('a');
    const { cursor } = await poll(bench, watcher_id, { timeout: 60 });
    expect(await bench.create({ path: `${bench.directory}//` }, surface)).toEqual({
      watcher_id,
      initial_cursor: cursor,
      reused: true,
    });
    const listed = (await bench.daemon.inject(`${prefix}/watch`)).json().data.watchers;
    expect(listed).toMatchObject([
      { watcher_id, path: bench.directory, subscribers: 2, debounce: 50, recursive: true },
    ]);
    expect(listed[0].exclude).toContain('node_modules');
    const released = async () =>
      (await bench.daemon.inject({ method: 'DELETE', url: `${prefix}/watch/${watcher_id}` })).json();
    expect((await released()).data).toEqual({ watcher_id, subscribers: 1 });
    expect((await released()).data).toEqual({ watcher_id, subscribers: 0 });
    const gone = await bench.daemon.inject({ method: 'DELETE', url: `${prefix}/watch/${watcher_id}` });
    expect(gone.statusCode).toBe(404);
  });
}

function describeStreams(surface: Surface): void {
  const { prefix } = surface;
  const poll = (bench: WatchBench, id: string, query: Record<string, number>) => bench.poll(id, query, surface);

  test('[watch.sse] [watch.sse-resume] events are streamed, and a stream resumes after its last event', async () => {
    await using bench = await WatchBench.start();
    const base = await bench.daemon.listen();
    const { watcher_id } = await bench.create({}, surface);
    const url = `${base}${prefix}/watch/${watcher_id}/events`;
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
    expect((await fetch(`${base}${prefix}/watch/none/events`)).status).toBe(404);
  });

  test('a stream ends when its watcher is stopped', async () => {
    await using bench = await WatchBench.start();
    const base = await bench.daemon.listen();
    const { watcher_id } = await bench.create({}, surface);
    const answer = await fetch(`${base}${prefix}/watch/${watcher_id}/events`);
    await fetch(`${base}${prefix}/watch/${watcher_id}`, { method: 'DELETE' });
    expect(await answer.text()).toContain('watch_started');
  });
}

function describeTerms(surface: Surface): void {
  const { prefix, fileFailure } = surface;
  const poll = (bench: WatchBench, id: string, query: Record<string, number>) => bench.poll(id, query, surface);

  test('[watch.default-exclude] a default list is excluded; exclude replaces it', async () => {
    await using bench = await WatchBench.start();
    const byDefault = await bench.create({}, surface);
    const all = await bench.create({ exclude: [] }, surface);
    expect(all.watcher_id).not.toBe(byDefault.watcher_id);
    const listed: { exclude: string[] }[] = (await bench.daemon.inject(`${prefix}/watch`)).json().data.watchers;
    expect(listed.map(({ exclude }) => [...exclude].sort())).toEqual([
      ['*.pyc', '*.pyo', '*.swo', '*.swp', '.DS_Store', '.git', '.venv', '__pycache__', 'node_modules'],
      [],
    ]);
    for (const name of ['.git', 'node_modules', '__pycache__']) mkdirSync(join(bench.directory, name));
    for (const name of ['.git/HEAD', 'node_modules/m.js', 'a.pyc', '.b.swp', 'last']) bench.write(name);
    const paths = async (id: string) => {
      const seen: string[] = [];
      for (let cursor = 0; !seen.includes('last'); ) {
        const answer = await poll(bench, id, { cursor, timeout: 60 });
        seen.push(...answer.events.map((event: { relative_path: string }) => event.relative_path));
        cursor = answer.cursor;
      }
      return seen;
    };
    expect(await paths(byDefault.watcher_id)).toEqual(['last']);
    expect(await paths(all.watcher_id)).toEqual(
      expect.arrayContaining(['.git', 'node_modules', '__pycache__', 'a.pyc', '.b.swp', 'last']),
    );
  });

  test('[watch.bounds] a value out of bounds is refused with the name of its field', async () => {
    await using bench = await WatchBench.start();
    const refused = async (body: object) => {
      const answer = await bench.daemon.post(`${prefix}/watch`, body);
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
      status: fileFailure(400),
    });
    const relative = await bench.daemon.post(`${prefix}/watch`, { path: '~no-such-account' });
    expect([relative.statusCode, relative.json().data.error_type]).toEqual([fileFailure(400), 'invalid_path']);
    const missing = await bench.daemon.post(`${prefix}/watch`, { path: join(bench.directory, 'no') });
    expect([missing.statusCode, missing.json().data.error_type]).toEqual([fileFailure(404), 'not_found']);
    const { watcher_id } = await bench.create({}, surface);
    const url = `${prefix}/watch/${watcher_id}/poll`;
    const status = async (name: string, value: number) =>
      (
        await (surface.pollMethod === 'POST'
          ? bench.daemon.post(url, { [name]: value })
          : bench.daemon.inject(`${url}?${name}=${value}`))
      ).statusCode;
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
}
