import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStream, WatchBench } from '../watch-bench.fixture.ts';

const KEPT = 10_000;
/** The largest page, well below the queue of the kernel. */
const ROUND = 1000;

/** Makes that many directories, each of which is one event, and waits until all are reported. */
async function makeEvents(bench: WatchBench, id: string, from: number, count: number): Promise<void> {
  for (let made = from; made < from + count; made += 1) mkdirSync(join(bench.directory, `d${made}`));
  for (let cursor = from; cursor < from + count; ) {
    const { events, cursor: next } = await bench.poll(id, { cursor, limit: ROUND, timeout: 60 });
    expect(events[0]).toMatchObject({ seq: cursor + 1, type: 'create', relative_path: `d${cursor}` });
    cursor = next;
  }
}

test('[watch.kept] [watch.sse] 10,000 events are kept; a reader that fell further behind gets an overflow first', async () => {
  await using bench = await WatchBench.start();
  const { watcher_id } = await bench.create({ recursive: false });
  for (let from = 0; from < KEPT; from += ROUND) await makeEvents(bench, watcher_id, from, ROUND);
  const first = await bench.poll(watcher_id, { cursor: 0 });
  expect([first.events.length, first.events[0]?.seq, first.cursor, first.overflow]).toEqual([100, 1, 100, false]);

  await makeEvents(bench, watcher_id, KEPT, 1);
  const fallen = await bench.poll(watcher_id, { cursor: 0, limit: ROUND });
  expect([fallen.overflow, fallen.events[0]?.seq, fallen.events[0]?.relative_path]).toEqual([true, 2, 'd1']);
  const whole = await bench.poll(watcher_id, { cursor: 1, limit: ROUND });
  expect([whole.overflow, whole.events.length, whole.events[0]?.seq]).toEqual([false, ROUND, 2]);

  const url = `${await bench.daemon.listen()}/v2/watch/${watcher_id}/events`;
  const isLast = ({ data }: { data: Record<string, unknown> }): boolean => data['seq'] === KEPT + 1;
  const behind = await readStream(`${url}?cursor=0`, isLast);
  expect(behind.slice(0, 3)).toMatchObject([
    { event: 'watch_started', id: `${watcher_id}:0` },
    { event: 'overflow', id: `${watcher_id}:1`, data: { watcher_id, seq: 1, reason: 'too_many_events' } },
    { event: 'file_change', id: `${watcher_id}:2`, data: { relative_path: 'd1' } },
  ]);
  expect(behind).toHaveLength(KEPT + 2);
  const upToDate = await readStream(url, isLast, { 'last-event-id': `${watcher_id}:1` });
  expect(upToDate.map(({ event }) => event).filter((event) => event !== 'file_change')).toEqual(['watch_started']);
});
