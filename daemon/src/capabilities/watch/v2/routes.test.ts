import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { V2, WatchBench } from '../watch-bench.fixture.ts';
import { describeWatchRoutes } from '../watch-routes.fixture.ts';

describeWatchRoutes(V2);

test('[watch.poll] a poll with a cursor beyond the newest event waits for the next event and gets it', async () => {
  await using bench = await WatchBench.start();
  const { watcher_id } = await bench.create();
  const waiting = bench.poll(watcher_id, { cursor: 100, timeout: 60 });
  mkdirSync(join(bench.directory, 'd'));
  expect(await waiting).toMatchObject({ events: [{ seq: 1, relative_path: 'd' }], cursor: 1 });
});
