import { join } from 'node:path';
import { ROOT } from '../../../scripts/root.ts';
import type { Benchmark, Goal, Measurement } from '../harness/benchmark.ts';
import { besideFloor } from '../harness/rows.ts';
import { median } from '../harness/statistics.ts';
import { HOSTS } from '../testbed/hosts.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latencies } from '../testbed/load.ts';
import { startDaemon, startPeer, type Variables } from '../testbed/services.ts';
import { SpawnPeer } from '../testbed/spawn-peer.ts';

const COUNT = 150;
const TRUE = { command: '/bin/true', shell: 'none' };
const BALLAST = { NODE_OPTIONS: `--import=${join(ROOT, 'e2e/bench/peers/ballast.mjs')}` };

export const commands: Benchmark = {
  name: 'commands',
  about:
    'one caller on one kept connection runs a command and waits for its answer, `POST /v2/commands`; the peer is ' +
    '`child_process.spawn` of the same argv in a small Node process, until `close`, with /dev/null as standard ' +
    "input and pipes for both outputs. Medians of 150 calls per round. Ours includes HTTP, also the client's side. " +
    'Each on both process hosts: the keeper, and the portable one, where the daemon itself spawns. With 1 GiB held ' +
    'by the daemon, the peer is the same daemon without it. Floor: a `node:http` server that runs the same argv for ' +
    'each request by `spawn` and answers its output.',
  reasons: {
    '`/bin/true` without a shell, keeper':
      'without HTTP the keeper is far below the goal (`process-host`), and the whole call is faster than a plain server ' +
      'that spawns (its floor). START takes more than half of it (`command-stages`), HTTP and validation a quarter; ' +
      'checks of the file system and the journal do not count. What is left is the waking of client, daemon and keeper ' +
      'on two cores.',
    '`true` in bash, keeper':
      'as without a shell; both sides pay for the start of bash, which the keeper cannot shorten.',
  },
  async prepare(stack) {
    const peer = stack.use(new SpawnPeer(stack.use(await startPeer('spawns.mjs'))));
    const floor = stack.use(new HttpClient(stack.use(await startPeer('floor.mjs')).port));
    const measurements: Measurement[] = [];
    for (const host of HOSTS) {
      const daemonOf = async (variables: Variables = {}): Promise<() => Promise<number[]>> => {
        const daemon = stack.use(await startDaemon({ ...variables, SVC_PROCESS_HOST: host }));
        return once(stack.use(new HttpClient(daemon.port)), TRUE);
      };
      const daemon = stack.use(await startDaemon({ SVC_PROCESS_HOST: host }));
      const client = stack.use(new HttpClient(daemon.port));
      const goal = (bound: number): { goal?: Goal } =>
        host === 'keeper' ? { goal: { words: `at most ${bound}× Node's spawn`, of: 'ratio', bound } } : {};
      const against = (
        name: string,
        bound: number,
        body: object,
        argv: readonly [string, ...string[]],
      ): Measurement[] => {
        const measured: Measurement = {
          rows: [{ name: `${name}, ${host}`, unit: 'ms', better: 'lower', ...goal(bound) }],
          peer: `spawn of \`${argv.join(' ')}\``,
          measureOurs: once(client, body),
          measurePeer: async () => [median((await peer.run(argv, 1, COUNT)).times)],
        };
        return host === 'keeper'
          ? [measured, besideFloor(measured, 'node:http and spawn', plain(floor, argv))]
          : [measured];
      };
      measurements.push(
        ...against('`/bin/true` without a shell', 0.8, TRUE, ['/bin/true']),
        ...against('`true` in bash', 0.9, { command: 'true' }, ['bash', '-c', 'true']),
        {
          rows: [
            {
              name: `\`/bin/true\` with 1 GiB held, ${host}`,
              unit: 'ms',
              better: 'lower',
              ...(host === 'keeper' && { goal: { words: 'at most 1.1× without', of: 'ratio', bound: 1.1 } }),
            },
          ],
          peer: 'the same without it',
          measureOurs: await daemonOf(BALLAST),
          measurePeer: await daemonOf(),
        },
      );
    }
    return measurements;
  },
};

function once(client: HttpClient, body: object): () => Promise<number[]> {
  const run = async (): Promise<void> => requireCompleted(requireOk(await client.post('/v2/commands', body)));
  return async () => [median(await latencies(COUNT, run))];
}

function plain(floor: HttpClient, [file, ...args]: readonly [string, ...string[]]): () => Promise<number[]> {
  const run = async (): Promise<string> => requireOk(await floor.post('/run', { file, args }));
  return async () => [median(await latencies(COUNT, run))];
}

function requireCompleted(body: string): void {
  if (!body.includes('"status":"completed"')) throw new Error(`the command did not complete: ${body.slice(0, 200)}`);
}
