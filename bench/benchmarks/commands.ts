import type { Benchmark, Goal, Measurement } from '../harness/benchmark.ts';
import { median } from '../harness/statistics.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latencies } from '../testbed/load.ts';
import { startDaemon, startPeer } from '../testbed/services.ts';
import { SpawnPeer } from '../testbed/spawn-peer.ts';

const COUNT = 150;
const GOAL: Goal = { words: "at most 1.4× Node's spawn", of: 'ratio', bound: 1.4 };

export const commands: Benchmark = {
  name: 'commands',
  about:
    'one caller on one kept connection runs a command and waits for its answer, `POST /v2/commands`; the peer is ' +
    "`child_process.spawn` of the same argv in a small Node process, until `close`, standard input /dev/null and both outputs pipes. Medians of 150 calls a round. Ours includes HTTP, the client's side too.",
  async prepare(stack) {
    const daemon = stack.use(await startDaemon());
    const client = stack.use(new HttpClient(daemon.port));
    const peer = stack.use(new SpawnPeer(stack.use(await startPeer('spawns.mjs'))));
    const round = (name: string, body: object, argv: readonly [string, ...string[]]): Measurement => ({
      rows: [{ name, unit: 'ms', better: 'lower', goal: GOAL }],
      peer: `spawn of \`${argv.join(' ')}\``,
      measureOurs: async () => {
        const run = async (): Promise<void> => requireCompleted(requireOk(await client.post('/v2/commands', body)));
        return [median(await latencies(COUNT, run))];
      },
      measurePeer: async () => [median((await peer.run(argv, 1, COUNT)).times)],
    });
    return [
      round('`/bin/true` without a shell', { command: '/bin/true', shell: 'none' }, ['/bin/true']),
      round('`true` in bash', { command: 'true' }, ['bash', '-c', 'true']),
    ];
  },
};

function requireCompleted(body: string): void {
  if (!body.includes('"status":"completed"')) throw new Error(`the command did not complete: ${body.slice(0, 200)}`);
}
