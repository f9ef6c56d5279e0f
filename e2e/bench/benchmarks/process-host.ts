import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeeperHost } from '../../../daemon/src/core/process/keeper/keeper-host.ts';
import { keeperProgram } from '../../../daemon/src/core/process/keeper/keeper-program.ts';
import type { Benchmark } from '../harness/benchmark.ts';
import { median } from '../harness/statistics.ts';
import { latencies } from '../testbed/load.ts';

const RUNS = 300;
const BOUND = 0.6;
const PROGRAM = '/bin/true';
const ENV = { PATH: '/usr/bin:/bin' };

export const processHost: Benchmark = {
  name: 'process-host',
  about:
    `\`KeeperHost.start\` to \`ended\` of \`${PROGRAM}\`, ${RUNS} times one after the other and without HTTP; the peer ` +
    'is `child_process.spawn` to `close` with stdout and stderr as pipes, in the same process.',
  async prepare(stack) {
    const directory = await mkdtemp(join(tmpdir(), 'bench-host-'));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    const host = stack.use(await KeeperHost.open({ directory, program: keeperProgram(undefined).path }));
    const run = async (): Promise<void> => {
      const spec = { file: PROGRAM, args: [], cwd: '/', env: ENV, stdin: 'null', outputMaxBytes: 1_000_000 } as const;
      const process = await host.start({ id: randomUUID(), ...spec });
      await process.ended;
      process.acknowledgeExit();
    };
    const runPeer = async (): Promise<void> => {
      const child = spawn(PROGRAM, [], { env: ENV, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.resume();
      child.stderr.resume();
      await once(child, 'close');
    };
    return [
      {
        rows: [
          {
            name: 'KeeperHost.start → ended',
            unit: 'ms',
            better: 'lower',
            goal: { words: `at most ${BOUND}× Node's spawn`, of: 'ratio', bound: BOUND },
          },
        ],
        peer: "Node's spawn",
        measureOurs: async () => [median(await latencies(RUNS, run))],
        measurePeer: async () => [median(await latencies(RUNS, runPeer))],
      },
    ];
  },
};
