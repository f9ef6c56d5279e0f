import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WatchBench } from '../watch-bench.fixture.ts';
import { V1 } from './surface.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads.
type Json = any;

async function watch(bench: WatchBench, body: object = {}): Promise<Json> {
  const answer = await bench.daemon.post('/v1/file/watch', { path: bench.directory, debounce: 50, ...body });
  expect([answer.statusCode, answer.statusCode === 200 || answer.body]).toEqual([200, true]);
  return answer.json();
}

const pathsOf = ({ events }: Json): string[] => events.map((event: Json) => event.relative_path);

test('[watch-field.path] a file or a directory is watched, and it must be there', async () => {
  await using bench = await WatchBench.start();
  bench.write('f');
  expect((await watch(bench)).success).toBe(true);
  const file = await watch(bench, { path: join(bench.directory, 'f') });
  bench.write('f');
  const { events } = await bench.poll(file.data.watcher_id, { timeout: 60 }, V1);
  expect(events[0]).toMatchObject({ path: join(bench.directory, 'f') });
  const missing = await watch(bench, { path: join(bench.directory, 'none') });
  expect(missing).toMatchObject({ success: false, data: { error_type: 'not_found' } });
});

test('[watch-field.exclude] [watch-field.include] a given exclude replaces the default; without include all is reported', async () => {
  await using bench = await WatchBench.start();
  mkdirSync(join(bench.directory, 'node_modules'));
  const { data } = await watch(bench, { exclude: ['*.log'], include_patterns: [] });
  for (const name of ['a.log', 'a.pyc', 'node_modules/m']) writeFileSync(join(bench.directory, name), '');
  const seen = new Set<string>();
  let cursor = data.initial_cursor;
  while (!seen.has('node_modules/m') || !seen.has('a.pyc')) {
    const answer = await bench.poll(data.watcher_id, { cursor, timeout: 60 }, V1);
    cursor = answer.cursor;
    for (const path of pathsOf(answer)) seen.add(path);
  }
  expect(seen.has('a.log')).toBe(false);
});

test('[watch-field.cursor] [watch-field.poll-timeout] the cursor of an answer is passed on as it is', async () => {
  await using bench = await WatchBench.start();
  const { data } = await watch(bench);
  const poll = async (cursor: number, timeout: number): Promise<Json> =>
    (await bench.daemon.post(`/v1/file/watch/${data.watcher_id}/poll`, { cursor, timeout })).json().data;
  expect(await poll(data.initial_cursor, 0)).toMatchObject({ events: [], cursor: data.initial_cursor });
  bench.write('one');
  const first = await poll(data.initial_cursor, 60);
  expect(first.events[0]).toMatchObject({ seq: data.initial_cursor + 1, relative_path: 'one' });
  expect(first.cursor).toBe(first.events.at(-1).seq);
  bench.write('two');
  const second = await poll(first.cursor, 60);
  expect(second.events[0].seq).toBe(first.cursor + 1);
});

test('[watch-field.stream] the stream has the objects of poll', async () => {
  await using bench = await WatchBench.start();
  const base = await bench.daemon.listen();
  const { data } = await watch(bench);
  bench.write('one');
  const { events } = await bench.poll(data.watcher_id, { timeout: 60 }, V1);
  const stop = new AbortController();
  const answer = await fetch(`${base}/v1/file/watch/${data.watcher_id}/events`, { signal: stop.signal });
  let text = '';
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (/event: file_change\n.*\n.*\n\n/.test(text)) break;
  }
  stop.abort();
  const [started, change] = text.split('\n\n').map((event) => event.split('\n'));
  expect(started?.[0]).toBe('event: watch_started');
  expect(change?.slice(0, 2)).toEqual(['event: file_change', `id: ${data.watcher_id}:${events[0]?.seq}`]);
  expect(JSON.parse(change?.[2]?.slice('data: '.length) ?? '')).toEqual(events[0]);
});
