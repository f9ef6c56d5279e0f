import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { openCore } from '../../../daemon/src/app.ts';
import { newRecord } from '../../../daemon/src/capabilities/commands/run/command.ts';
import { Launcher } from '../../../daemon/src/capabilities/commands/run/launcher.ts';
import { Journal } from '../../../daemon/src/capabilities/commands/store/journal.ts';
import { readConfig } from '../../../daemon/src/config.ts';
import type { StartSpec } from '../../../daemon/src/core/process/process-host.ts';
import type { Benchmark, Row } from '../harness/benchmark.ts';
import { median } from '../harness/statistics.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latencies } from '../testbed/load.ts';
import { startDaemon } from '../testbed/services.ts';

const COUNT = 300;
const COMMAND = { command: '/bin/true', shell: 'none' };
const UNKNOWN_SESSION = { ...COMMAND, session: 'unknown' };
const OUTPUT_MAX_BYTES = 1_000_000;

const ROWS: readonly Row[] = [
  'HTTP in and answer out',
  'body, validation, refusal',
  'checks and environment',
  'START to begun',
  'begun to ended, EXIT',
  'two lines of the journal',
  'what is left',
].map((name) => ({ name, unit: 'ms', better: 'lower' }));

export const commandStages: Benchmark = {
  name: 'command-stages',
  about:
    'where the time of `POST /v2/commands` with `/bin/true` and without a shell goes; the peer of each stage is the ' +
    'whole call, so that the ratio is its share. HTTP is `/v1/ping`. The body and its validation are a call that an ' +
    'unknown session refuses, less the ping. Checks, START (request to the keeper until it has begun), the way from ' +
    'there to EXIT, and the journal are called in this process, by the modules of the daemon. What is left is the ' +
    'whole less the others: the work of the daemon behind validation, and wake-ups. Medians of 300 calls per round.',
  async prepare(stack) {
    const client = stack.use(new HttpClient(stack.use(await startDaemon()).port));
    const parts = await partsOf(stack);
    const whole = async (): Promise<number> => {
      return medianOf(async () => requireOk(await client.post('/v2/commands', COMMAND)));
    };
    const stages = async (): Promise<number[]> => {
      const ping = await medianOf(async () => requireOk(await client.get('/v1/ping')));
      const refused = await medianOf(async () => {
        const { status } = await client.post('/v2/commands', UNKNOWN_SESSION);
        if (status !== 404) throw new Error(`answered ${status}`);
      });
      const known = [ping, refused - ping, ...(await parts())];
      return [...known, (await whole()) - known.reduce((sum, part) => sum + part)];
    };
    return [
      {
        rows: ROWS,
        peer: 'the whole call',
        measureOurs: stages,
        measurePeer: async () => {
          const time = await whole();
          return ROWS.map(() => time);
        },
      },
    ];
  },
};

/** Measures the stages behind validation: checks, START, the way to EXIT, the journal. */
async function partsOf(stack: AsyncDisposableStack): Promise<() => Promise<number[]>> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-stages-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const logger = createLogger('daemon', 'silent', []);
  const daemon = await openCore(readConfig(['--runtime-dir', join(directory, 'run')], {}), logger);
  stack.use(daemon.runtime);
  stack.use(daemon.processes);
  const core = { ...daemon, processes: daemon.processes.of('commands') };
  const launcher = new Launcher(core, OUTPUT_MAX_BYTES);
  const { journal } = Journal.open(directory, logger);
  stack.defer(() => journal.close());
  const prepare = (): StartSpec => launcher.prepare(randomUUID(), { ...COMMAND, stdin: 'null' }, undefined);
  return async () => {
    const toBegun: number[] = [];
    const toEnded: number[] = [];
    for (let done = 0; done < COUNT; done += 1) {
      const spec = prepare();
      const asked = performance.now();
      const process = await core.processes.start(spec);
      const begun = performance.now();
      await process.ended;
      toBegun.push(begun - asked);
      toEnded.push(performance.now() - begun);
      process.acknowledgeExit();
    }
    const writing = async (): Promise<void> => {
      const id = randomUUID();
      const record = newRecord({
        id,
        command: COMMAND.command,
        sessionId: null,
        user: null,
        hardTimeout: null,
        idempotency: null,
        startedTick: performance.now(),
      });
      journal.append({ t: 'command', record });
      journal.append({ t: 'change', id, change: { status: 'completed', exitCode: 0, endedAt: record.startedAt } });
    };
    return [await medianOf(async () => prepare()), median(toBegun), median(toEnded), await medianOf(writing)];
  };
}

async function medianOf(call: () => Promise<unknown>): Promise<number> {
  return median(await latencies(COUNT, call));
}
