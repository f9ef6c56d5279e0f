import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { quantile } from '../harness/statistics.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latenciesDuring, rateOf } from '../testbed/load.ts';
import { startDaemon, startPeer } from '../testbed/services.ts';
import { SpawnPeer } from '../testbed/spawn-peer.ts';

/** Commands of a round. */
const COUNT = 1000;
const PAUSE_MS = 2;

export const callers: Benchmark = {
  name: 'callers',
  about:
    'as many callers at once run `/bin/true` without a shell, each on a kept connection, while one more asks for ' +
    "`/health` every 2 ms; the peer is a small `node:http` server that runs as many by Node's own spawn and answers as well.",
  async prepare(stack) {
    const daemon = stack.use(await startDaemon());
    const client = stack.use(new HttpClient(daemon.port));
    const peer = stack.use(new SpawnPeer(stack.use(await startPeer('spawns.mjs'))));
    const command = async (): Promise<void> => {
      const body = requireOk(await client.post('/v2/commands', { command: '/bin/true', shell: 'none' }));
      if (!body.includes('"status":"completed"')) throw new Error(body.slice(0, 200));
    };
    const measurement = (count: number): Measurement => ({
      rows: [
        { name: `commands a second, ${count} callers`, unit: '/s', better: 'higher' },
        { name: `/health p50 meanwhile, ${count} callers`, unit: 'ms', better: 'lower' },
        { name: `/health p99 meanwhile, ${count} callers`, unit: 'ms', better: 'lower' },
      ],
      peer: "Node's spawn",
      rounds: 3,
      measureOurs: () => withHealth(rateOf(count, COUNT, command), async () => requireOk(await client.get('/health'))),
      measurePeer: () =>
        withHealth(
          peer.run(['/bin/true'], count, COUNT).then(({ rate }) => rate),
          () => peer.health(),
        ),
    });
    return [measurement(16), measurement(64)];
  },
};

async function withHealth(work: Promise<number>, health: () => Promise<unknown>): Promise<number[]> {
  const times = await latenciesDuring(work, PAUSE_MS, health);
  return [await work, quantile(times, 0.5), quantile(times, 0.99)];
}
