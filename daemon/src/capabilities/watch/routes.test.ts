import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

/** A daemon and a directory to watch. */
class Bench implements AsyncDisposable {
  readonly daemon: TestApp;
  readonly directory = mkdtempSync(join(tmpdir(), 'watched-'));

  private constructor(daemon: TestApp) {
    this.daemon = daemon;
  }

  static async start(): Promise<Bench> {
    return new Bench(await TestApp.start());
  }

  /** It is there with its content at once, as one event. */
  write(name: string): void {
    const draft = `${this.directory}.draft`;
    writeFileSync(draft, name);
    renameSync(draft, join(this.directory, name));
  }

  async create(
    more: object = {},
    surface = '/v2',
  ): Promise<{ watcher_id: string; initial_cursor: number; reused: boolean }> {
    const answer = await this.daemon.post(`${surface}/watch`, { path: this.directory, debounce: 50, ...more });
    expect(answer.statusCode).toBe(200);
    return answer.json().data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

type Sent = { event: string; id: string; data: Record<string, unknown> };

/** The events of a stream up to the one that is wanted. */
async function read(
  url: string,
  wanted: (sent: Sent) => boolean,
  headers: Record<string, string> = {},
): Promise<Sent[]> {
  const stop = new AbortController();
  const answer = await fetch(url, { headers, signal: stop.signal });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const sent: Sent[] = [];
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString();
    const whole = text.split('\n\n');
    text = whole.pop() ?? '';
    sent.push(...whole.filter((block) => !block.startsWith(':')).map(parse));
    if (sent.some(wanted)) break;
  }
  stop.abort();
  return sent;
}

function parse(block: string): Sent {
  const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
  return { event: fields['event'], id: fields['id'], data: JSON.parse(fields['data']) };
}

async function untilWatchers({ daemon }: Bench, count: number): Promise<void> {
  while (!(await daemon.inject('/metrics')).body.includes(`\nwatchers ${count}\n`)) await turn();
}

describe.each(['/v2', '/v1/file'])('under %s', (surface) => {
  const isV1 = surface === '/v1/file';
  const poll = async (bench: Bench, id: string, query: Record<string, number>) => {
    const url = `${surface}/watch/${id}/poll`;
    const answer = isV1
      ? await bench.daemon.post(url, query)
      : await bench.daemon.inject({
          url,
          query: Object.fromEntries(Object.entries(query).map(([k, v]) => [k, `${v}`])),
        });
    expect(answer.statusCode).toBe(200);
    return answer.json().data;
  };

  test('[watch.create] [watch.poll] [watch.event-fields] [watch-v1.since] [watch-v1.envelope] events are polled from a cursor on, waited for where there is none', async () => {
    await using bench = await Bench.start();
    const { watcher_id, initial_cursor, reused } = await bench.create({}, surface);
    expect([initial_cursor, reused]).toEqual([0, false]);
    expect(await poll(bench, watcher_id, { cursor: 0 })).toEqual({ events: [], cursor: 0, overflow: false });
    const waiting = poll(bench, watcher_id, { cursor: 0, timeout: 60 });
    bench.write('a');
    const first = await waiting;
    expect(first).toEqual({
      events: [
        {
          seq: 1,
          type: 'create',
          path: join(bench.directory, 'a'),
          relative_path: 'a',
          old_path: null,
          is_dir: false,
          timestamp: expect.any(Number),
          mtime: expect.any(Number),
          size: 1,
          inode: expect.any(Number),
        },
      ],
      cursor: 1,
      overflow: false,
    });
    mkdirSync(join(bench.directory, 'd'));
    bench.write('e');
    const next = await poll(bench, watcher_id, { cursor: 1, limit: 1, timeout: 60 });
    expect(next.events.map(({ relative_path }: { relative_path: string }) => relative_path)).toEqual(['d']);
    const last = await poll(bench, watcher_id, { [isV1 ? 'since' : 'cursor']: next.cursor, timeout: 60 });
    expect(last.events[0]).toMatchObject({ relative_path: 'e', seq: 3 });
  });

  test('[watch.reuse] [watch.release] [watch.list] the same configuration is shared until the last subscriber is gone', async () => {
    await using bench = await Bench.start();
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
    await using bench = await Bench.start();
    const base = await bench.daemon.listen();
    const { watcher_id } = await bench.create({}, surface);
    const url = `${base}${surface}/watch/${watcher_id}/events`;
    const streamed = read(url, ({ data }) => data['relative_path'] === 'a');
    bench.write('a');
    const [started, change] = await streamed;
    expect(started).toMatchObject({ event: 'watch_started', data: { watcher_id, path: bench.directory } });
    expect(change).toMatchObject({ event: 'file_change', id: `${watcher_id}:1`, data: { seq: 1, type: 'create' } });
    bench.write('b');
    await poll(bench, watcher_id, { cursor: 1, timeout: 60 });
    const resumed = await read(url, ({ event }) => event === 'file_change', { 'last-event-id': `${watcher_id}:1` });
    expect(resumed.map(({ data }) => data['relative_path'])).toEqual([undefined, 'b']);
    expect((await fetch(`${base}${surface}/watch/none/events`)).status).toBe(404);
  });

  test('[watch.default-exclude] what nobody names is excluded by default; exclude replaces the list', async () => {
    await using bench = await Bench.start();
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
    expect(await paths(all.watcher_id)).toEqual(expect.arrayContaining(['.git', 'a.pyc', '.b.swp', 'last']));
  });

  test('a stream ends when its watcher is stopped', async () => {
    await using bench = await Bench.start();
    const base = await bench.daemon.listen();
    const { watcher_id } = await bench.create({}, surface);
    const answer = await fetch(`${base}${surface}/watch/${watcher_id}/events`);
    await fetch(`${base}${surface}/watch/${watcher_id}`, { method: 'DELETE' });
    expect(await answer.text()).toContain('watch_started');
  });

  test('[watch.bounds] what cannot be is refused by the name of its field', async () => {
    await using bench = await Bench.start();
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
    expect(await refused({ path: bench.directory, exclude: ['{a,b}'.repeat(20)] })).toMatchObject({
      status: isV1 ? 200 : 400,
    });
    const relative = await bench.daemon.post(`${surface}/watch`, { path: 'tmp' });
    expect([relative.statusCode, relative.json().data.error_type]).toEqual([isV1 ? 200 : 400, 'invalid_path']);
    const missing = await bench.daemon.post(`${surface}/watch`, { path: join(bench.directory, 'no') });
    expect([missing.statusCode, missing.json().data.error_type]).toEqual([isV1 ? 200 : 404, 'not_found']);
    const { watcher_id } = await bench.create({}, surface);
    const url = `${surface}/watch/${watcher_id}/poll`;
    const answer = isV1
      ? await bench.daemon.post(url, { limit: 1001 })
      : await bench.daemon.inject(`${url}?limit=1001`);
    expect(answer.statusCode).toBe(422);
  });
});

describe('[watch-v1.wait] waiting for one event', () => {
  const wait = (bench: Bench, body: object) => bench.daemon.post('/v1/file/watch/wait', body);

  test('a file that is there is the answer where create is asked for', async () => {
    await using bench = await Bench.start();
    bench.write('a');
    const answer = await wait(bench, { path: join(bench.directory, 'a') });
    expect(answer.json().data.event).toMatchObject({ type: 'create', path: join(bench.directory, 'a'), size: 1 });
  });

  test('a file that comes, deep where nothing is yet, and a change of a file that is there', async () => {
    await using bench = await Bench.start();
    const waiting = wait(bench, { path: join(bench.directory, 'x/y/z'), event_types: ['create'], timeout: 300 });
    await untilWatchers(bench, 1);
    mkdirSync(join(bench.directory, 'x/y'), { recursive: true });
    bench.write('x/y/z');
    expect((await waiting).json().data.event).toMatchObject({ type: 'create', relative_path: '' });
  });

  test('what does not come is 503 without Retry-After', async () => {
    await using bench = await Bench.start();
    bench.write('a');
    const answer = await wait(bench, { path: join(bench.directory, 'a'), event_types: ['remove'], timeout: 1 });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBeUndefined();
    expect((await bench.daemon.inject('/metrics')).body).toMatch(/^watchers 0$/m);
  });

  test('a caller that goes away leaves no watcher behind', async () => {
    await using bench = await Bench.start();
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
