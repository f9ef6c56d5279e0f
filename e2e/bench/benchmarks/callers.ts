import type { Benchmark, Measurement, Row } from '../harness/benchmark.ts';
import { quantile } from '../harness/statistics.ts';
import { HOSTS } from '../testbed/hosts.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latenciesDuring, rateOf } from '../testbed/load.ts';
import { startDaemon, startPeer } from '../testbed/services.ts';
import { SpawnPeer } from '../testbed/spawn-peer.ts';

/** Commands of a round. */
const COUNT = 1000;
const PAUSE_MS = 2;

const SHARED_LOOP =
  'all requests share one event loop: `/health` waits for the work of the other callers in the same turn, and once a ' +
  'second for the sweep over ended commands.';

export const callers: Benchmark = {
  name: 'callers',
  about:
    'a number of callers run `/bin/true` without a shell, each on a kept connection, while one more requests ' +
    "`/health` every 2 ms; the peer is a small `node:http` server that runs as many with Node's own spawn and also " +
    'serves `/health`.',
  reasons: {
    '/health p99 meanwhile, 16 callers, keeper': SHARED_LOOP,
    'commands a second, 64 callers, keeper':
      'both cores are busy: a command costs about 1.2 ms of processor time, of which fork, exec and exit of `/bin/true` ' +
      'are 0.6 ms, the daemon 0.3 ms, the keeper 0.2 ms and the client 0.1 ms.',
    '/health p99 meanwhile, 64 callers, keeper': SHARED_LOOP,
  },
  async prepare(stack) {
    const peer = stack.use(new SpawnPeer(stack.use(await startPeer('spawns.mjs'))));
    const measurements: Measurement[] = [];
    for (const host of HOSTS) {
      const daemon = stack.use(await startDaemon({ SVC_PROCESS_HOST: host }));
      const client = stack.use(new HttpClient(daemon.port));
      for (const count of [16, 64]) measurements.push(measurement(host, count, client, peer));
    }
    return measurements;
  },
};

type Judged = Pick<Row, 'goal' | 'peerIsFloor'>;

function measurement(host: string, count: number, client: HttpClient, peer: SpawnPeer): Measurement {
  const what = `${count} callers, ${host}`;
  const [rate, p99]: readonly [Judged, Judged] =
    host === 'keeper'
      ? [
          { goal: { words: "at least 1.6× Node's spawn", of: 'ratio', bound: 1.6 } },
          { goal: { words: 'under 5 ms', of: 'value', bound: 5 }, peerIsFloor: true },
        ]
      : [{}, {}];
  const command = async (): Promise<void> => {
    const body = requireOk(await client.post('/v2/commands', { command: '/bin/true', shell: 'none' }));
    if (!body.includes('"status":"completed"')) throw new Error(body.slice(0, 200));
  };
  return {
    rows: [
      { name: `commands a second, ${what}`, unit: '/s', better: 'higher', ...rate },
      { name: `/health p50 meanwhile, ${what}`, unit: 'ms', better: 'lower' },
      { name: `/health p99 meanwhile, ${what}`, unit: 'ms', better: 'lower', ...p99 },
    ],
    peer: "Node's spawn",
    measureOurs: () => withHealth(rateOf(count, COUNT, command), async () => requireOk(await client.get('/health'))),
    measurePeer: () =>
      withHealth(
        peer.run(['/bin/true'], count, COUNT).then(({ rate: runs }) => runs),
        () => peer.health(),
      ),
  };
}

async function withHealth(work: Promise<number>, health: () => Promise<unknown>): Promise<number[]> {
  const times = await latenciesDuring(work, PAUSE_MS, health);
  return [await work, quantile(times, 0.5), quantile(times, 0.99)];
}
