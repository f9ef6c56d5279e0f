import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { ROOT } from '../../../scripts/root.ts';
import type { Benchmark, Goal, Measurement } from '../harness/benchmark.ts';
import { lower } from '../harness/rows.ts';
import { median } from '../harness/statistics.ts';
import { startDaemon, startGateway, type Variables } from '../testbed/services.ts';

const ROUNDS = 7;
/** Runs of a round, whose median is its figure. */
const RUNS = 7;
const PROGRAM = join(ROOT, 'dist/sandbox.cjs');
const PEER = 'node -e 0';

export const commandLine: Benchmark = {
  name: 'command-line',
  about:
    'from the start of the process to its end, both under the same Node, compile cache warm; `run -- true` through ' +
    'the gateway, without a key. The peer is an empty program. Medians of 7 runs per round.',
  async prepare(stack) {
    const gateway = stack.use(await startGateway(stack.use(await startDaemon())));
    const env = { SANDBOX_URL: `http://127.0.0.1:${gateway.port}` };
    const against = (words: readonly string[], bound: number): Measurement => ({
      rows: [{ ...lower(`sandbox ${words.join(' ')}`, 'ms', atMost(bound)), peerIsFloor: true }],
      peer: PEER,
      rounds: ROUNDS,
      measureOurs: async () => [await medianOf([PROGRAM, ...words], env)],
      measurePeer: async () => [await medianOf(['-e', '0'], env)],
    });
    // What runs first fills the compile cache.
    await timeOf([PROGRAM, 'run', '--', 'true'], env);
    return [against(['--help'], 1.3), against(['run', '--', 'true'], 2)];
  },
};

function atMost(bound: number): Goal {
  return { words: `at most ${bound}× ${PEER}`, of: 'ratio', bound };
}

async function medianOf(args: readonly string[], env: Variables): Promise<number> {
  const times: number[] = [];
  while (times.length < RUNS) times.push(await timeOf(args, env));
  return median(times);
}

/** Milliseconds of a run of Node. */
async function timeOf(args: readonly string[], env: Variables): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return performance.now() - begun;
}
