import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Benchmark, Measurement, Row } from '../harness/benchmark.ts';
import { besideFloor } from '../harness/rows.ts';
import { median } from '../harness/statistics.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latencies } from '../testbed/load.ts';
import { startDaemon, startPeer } from '../testbed/services.ts';

const CELLS = 300;
const SCRIPTS = 10;
/** Milliseconds in which a pool is filled again. */
const REFILL_MS = 1000;

const lower = { unit: 'ms', better: 'lower' } as const;
const WARM: Row = {
  ...lower,
  name: 'warm cell of JavaScript',
  goal: { words: 'under 1 ms', of: 'value', bound: 1 },
};
const SCRIPT: Row = {
  ...lower,
  name: 'JavaScript without a session',
  goal: { words: 'at most 1.3× `node -e`', of: 'ratio', bound: 1.3 },
};
const POOLED: Row = {
  ...lower,
  name: 'JavaScript without a session, from the pool',
  goal: { words: 'under 5 ms', of: 'value', bound: 5 },
};
const BASH: Row = {
  ...lower,
  name: 'warm cell of bash',
  goal: { words: 'at most 1 ms more than the route of commands', of: 'difference', bound: 1 },
};

async function medianOf(count: number, call: () => Promise<unknown>): Promise<number> {
  return median(await latencies(count, call));
}

/** The median of calls that each follow the time in which a pool is filled again. */
function rested(call: () => Promise<unknown>): () => Promise<number[]> {
  return async () => {
    const times: number[] = [];
    for (let i = 0; i < SCRIPTS; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, REFILL_MS));
      times.push(...(await latencies(1, call)));
    }
    return [median(times)];
  };
}

export const codeLanguages: Benchmark = {
  name: 'code-languages',
  about:
    `a warm cell is \`1+1\` or \`true\` in a session that has run one, the median of ${CELLS} over HTTP. Bash is to ` +
    'stand beside the route of commands for `true`. A cell without a session is measured from the call ' +
    `to its answer, the median of ${SCRIPTS}; its peer is \`node -e 1+1\` of the same Node, started by Node. Floor: a ` +
    '`node:http` server that has the code evaluated by a child process over the channel of `fork`, kept or forked ' +
    'beforehand, or runs `node -e`.',
  reasons: {
    [WARM.name]:
      'at the goal on a machine at rest. HTTP takes 0.25 ms of it, the interpreter and its marks through the keeper ' +
      '0.3 ms; the rest is the waking of four processes on two cores. Its floor has no keeper: what it runs ends with it.',
    [POOLED.name]:
      'a plain server with a waiting child takes as long (its floor): each call comes after a second in which all ' +
      'processes rested, and runs the first code of its interpreter.',
  },
  async prepare(stack) {
    const daemon = stack.use(await startDaemon());
    const pooled = stack.use(await startDaemon({ SVC_CODE_PREWARM: '2' }));
    const run = async (client: HttpClient, path: string, body: object): Promise<void> => {
      const { data } = JSON.parse(requireOk(await client.post(path, body)));
      if (data.status !== 'ok' && data.status !== 'completed') throw new Error(`it ended with ${data.status}`);
    };
    const client = stack.use(new HttpClient(daemon.port));
    const warm = stack.use(new HttpClient(pooled.port));
    const cell = (language: string, code: string, session_id?: string) =>
      run(client, '/v2/code/execute', { language, code, session_id });
    const floor = stack.use(new HttpClient(stack.use(await startPeer('floor.mjs', ['2'])).port));
    const plain = async (path: string, body: object) => requireOk(await floor.post(path, body));
    await cell('javascript', '1+1', 's');
    await cell('bash', 'true', 's');
    const besideNode = (row: Row, measureOurs: Measurement['measureOurs']): Measurement => ({
      rows: [row],
      peer: '`node -e`',
      measureOurs,
      measurePeer: async () => [await medianOf(SCRIPTS, () => promisify(execFile)('node', ['-e', '1+1']))],
    });
    const kept = besideNode(WARM, async () => [await medianOf(CELLS, () => cell('javascript', '1+1', 's'))]);
    const script = besideNode(SCRIPT, async () => [await medianOf(SCRIPTS, () => cell('javascript', '1+1'))]);
    const oneOff = { language: 'javascript', code: '1+1' };
    const pool = besideNode(
      POOLED,
      rested(() => run(warm, '/v2/code/execute', oneOff)),
    );
    return [
      kept,
      besideFloor(kept, 'node:http and a child', async () => [
        await medianOf(CELLS, () => plain('/evaluate', { code: '1+1' })),
      ]),
      script,
      besideFloor(script, 'node:http and `node -e`', async () => [
        await medianOf(SCRIPTS, () => plain('/run', { file: 'node', args: ['-e', '1+1'] })),
      ]),
      pool,
      besideFloor(
        pool,
        'node:http and a waiting child',
        rested(() => plain('/script', { code: '1+1' })),
      ),
      {
        rows: [BASH],
        peer: 'the route of commands',
        measureOurs: async () => [await medianOf(CELLS, () => cell('bash', 'true', 's'))],
        measurePeer: async () => [await medianOf(CELLS, () => run(client, '/v2/commands', { command: 'true' }))],
      },
    ];
  },
};
