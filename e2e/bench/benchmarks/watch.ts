import { watch as watchDirectory, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { memoryOf } from '../../../scripts/testing/process-memory.ts';
import type { Benchmark } from '../harness/benchmark.ts';
import { median } from '../harness/statistics.ts';
import { EventStream } from '../testbed/event-stream.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latenciesDuring } from '../testbed/load.ts';
import { MIB } from '../testbed/memory.ts';
import { type Service, startDaemon, startPeer } from '../testbed/services.ts';
import { Tree, treeOfDirectories } from '../testbed/trees.ts';

const DEBOUNCE_MS = 50;
const EVENTS = 40;
const DIRECTORIES = 50_000;

export const watch: Benchmark = {
  name: 'watch',
  about:
    `an event: from the creation of a file until a reader of Server-Sent Events has it, less the ${DEBOUNCE_MS} ms ` +
    'of debounce; the peer is `fs.watch` (inotify) in the process that creates the file. Directories: growth of the ' +
    `daemon's memory once ${DIRECTORIES.toLocaleString('en')} of them are watched, and the longest answer of ` +
    '`/health`, requested every 2 ms, during the setup; the peer is `fs.watch` with `recursive` in a small ' +
    '`node:http` server.',
  async prepare(stack) {
    const directories = stack.use(treeOfDirectories(DIRECTORIES));
    const daemon = stack.use(await startDaemon());
    const { root } = stack.use(new Tree());
    const id = await create(daemon, root);
    const stream = stack.use(await EventStream.open(daemon.port, `/v2/watch/${id}/events`));
    const row = { better: 'lower' } as const;
    const under = (bound: number, unit: string) => ({ words: `under ${bound} ${unit}`, of: 'value', bound }) as const;
    return [
      {
        rows: [{ ...row, name: 'an event, beyond debounce', unit: 'ms', goal: under(5, 'ms') }],
        peer: 'fs.watch',
        measureOurs: () =>
          eventsOf((name) => stream.untilSeen(name, () => writeFileSync(join(root, name), '')), DEBOUNCE_MS),
        measurePeer: () => eventsOf((name) => seenByNode(root, name), 0),
      },
      {
        rows: [
          { ...row, name: '50,000 directories, memory', unit: 'MiB', goal: under(120, 'MiB') },
          { ...row, name: '50,000 directories, longest pause', unit: 'ms', goal: under(50, 'ms') },
          { ...row, name: '50,000 directories, set up', unit: 's' },
        ],
        peer: 'fs.watch, recursive',
        rounds: 3,
        measureOurs: async () => {
          await using service = await startDaemon();
          return await setUp(service, () => create(service, directories.root));
        },
        measurePeer: async () => {
          await using service = await startPeer('watches.mjs', [directories.root]);
          using client = new HttpClient(service.port);
          return await setUp(service, () => client.get('/watch').then(requireOk));
        },
      },
    ];
  },
};

async function create({ port }: Service, path: string): Promise<string> {
  using client = new HttpClient(port);
  return JSON.parse(requireOk(await client.post('/v2/watch', { path, debounce: DEBOUNCE_MS }))).data.watcher_id;
}

async function eventsOf(event: (name: string) => Promise<number>, less: number): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < EVENTS; count += 1) {
    times.push((await event(`event-${performance.now()}-`)) - less);
    await delay(5);
  }
  return [median(times)];
}

async function seenByNode(root: string, name: string): Promise<number> {
  const seen = Promise.withResolvers<number>();
  const watcher = watchDirectory(root, (_event, file) => file === name && seen.resolve(performance.now()));
  try {
    await delay(1);
    const begun = performance.now();
    writeFileSync(join(root, name), '');
    return (await seen.promise) - begun;
  } finally {
    watcher.close();
  }
}

/** Memory, longest pause, time. */
async function setUp({ port, pid }: Service, work: () => Promise<unknown>): Promise<number[]> {
  using client = new HttpClient(port);
  const health = async (): Promise<void> => void requireOk(await client.get('/health'));
  await latenciesDuring(delay(200), 2, health);
  const before = memoryOf(pid).rss;
  const begun = performance.now();
  const working = work();
  const ready = working.then(() => performance.now() - begun);
  const pauses = await latenciesDuring(working, 2, health);
  return [(memoryOf(pid).rss - before) / MIB, Math.max(...pauses), (await ready) / 1000];
}
