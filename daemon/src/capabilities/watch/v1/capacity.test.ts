import { join } from 'node:path';
import { expect, test } from 'vitest';
import { V2, WatchBench } from '../watch-bench.fixture.ts';
import { V1 } from './surface.fixture.ts';

const CEILING = 128;
const SURFACES = [V2, V1];

test('[watch.capacity] [status.capacity-429] 128 watchers are created, also by concurrent callers of both surfaces; the 129th is 429', async () => {
  await using bench = await WatchBench.start();
  const create = (debounce: number, { prefix } = V2) =>
    bench.daemon.post(`${prefix}/watch`, { path: bench.directory, debounce });
  const answers = await Promise.all(
    Array.from({ length: CEILING + 12 }, (_, at) => create(50 + at, SURFACES[at % SURFACES.length])),
  );
  const taken = answers.filter(({ statusCode }) => statusCode === 200).map((answer) => answer.json().data.watcher_id);
  expect([taken.length, new Set(taken).size]).toEqual([CEILING, CEILING]);
  const wait = bench.daemon.post('/v1/file/watch/wait', { path: join(bench.directory, 'a'), timeout: 60 });
  const refused = await Promise.all([...SURFACES.map((surface) => create(5000, surface)), wait]);
  for (const answer of [...answers.filter(({ statusCode }) => statusCode !== 200), ...refused]) {
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '1']);
  }
  for (const answer of refused) {
    const { holders } = answer.json().data;
    expect(holders.map(({ watcher_id }: { watcher_id: string }) => watcher_id).sort()).toEqual([...taken].sort());
  }
  expect((await create(50)).json().data).toMatchObject({ watcher_id: taken[0], reused: true });
  await bench.daemon.inject({ method: 'DELETE', url: `/v2/watch/${taken[1]}` });
  expect([(await create(5000)).statusCode, (await create(4999)).statusCode]).toEqual([200, 429]);
});
