import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../scripts/root.ts';
import { debianPackage, type Need } from '../../scripts/test-all/need.ts';
import type { Benchmark, Row } from '../harness/benchmark.ts';
import { median } from '../harness/statistics.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { growthDuring, MIB } from '../testbed/memory.ts';
import { startDaemon } from '../testbed/services.ts';

const CELLS = 200;
const PYTHON = '/usr/bin/python3';
const IPYKERNEL: Need = {
  name: 'ipykernel',
  probe: [PYTHON, '-c', 'import ipykernel, jupyter_client'],
  obtain: debianPackage('python3-ipykernel'),
  packageName: 'python3-ipykernel',
  reason: 'cells of its kernels are measured through both clients',
};

const lower = { unit: 'ms', better: 'lower' } as const;
const WARM: Row = {
  ...lower,
  name: 'warm cell of Python',
  goal: { words: "at most 1.1× jupyter_client's", of: 'ratio', bound: 1.1 },
};
const FIRST: Row = {
  ...lower,
  name: 'first cell of a new session, without a pool',
  goal: { words: 'under 100 ms', of: 'value', bound: 100 },
};
const PRINTED: Row = {
  unit: 'MiB',
  better: 'lower',
  name: 'daemon during 100 MB of output',
  goal: { words: 'at most 32 MiB', of: 'value', bound: 32 },
};

/** Milliseconds that the peer prints. */
async function peer(mode: 'first' | 'warm'): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-cells-'));
  try {
    const script = join(ROOT, 'bench/peers/cells.py');
    const { stdout } = await promisify(execFile)(PYTHON, [script, mode, join(directory, 'k'), String(CELLS)]);
    return Number(stdout);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export const code: Benchmark = {
  name: 'code',
  about:
    `a warm cell is \`1+1\` in a session that has run one, the median of ${CELLS} over HTTP; the peer is jupyter_client ` +
    'in its own process with a kernel of the same Python over Unix sockets. The first cell of a session includes the ' +
    'start of its kernel, which a zygote forks; the peer starts a kernel. Memory is the growth of the daemon while a ' +
    'cell prints 100 MB, of which 2,000,000 characters are kept.',
  needs: [IPYKERNEL],
  async prepare(stack) {
    const daemon = stack.use(await startDaemon({ PATH: '/usr/bin:/bin', SVC_KERNEL_MAX_SESSIONS: '100' }));
    const client = stack.use(new HttpClient(daemon.port));
    const cell = async (session_id: string, text: string): Promise<number> => {
      const begun = performance.now();
      const body = { language: 'python', code: text, session_id, timeout: 120 };
      const { data } = JSON.parse(requireOk(await client.post('/v2/code/execute', body)));
      if (data.status !== 'ok') throw new Error(`the cell ended with ${data.status}`);
      return performance.now() - begun;
    };
    await cell('warm', '1');
    let sessions = 0;
    const first = (): Promise<number> => {
      sessions += 1;
      return cell(`first-${sessions}`, '1+1');
    };
    // The first ones are started in the ordinary way, until the zygote is ready.
    for (let tries = 0; tries < 20 && (await first()) > 200; tries += 1);
    return [
      {
        rows: [WARM],
        peer: 'jupyter_client',
        rounds: 5,
        measureOurs: async () => {
          const times: number[] = [];
          for (let i = 0; i < CELLS; i += 1) times.push(await cell('warm', '1+1'));
          return [median(times)];
        },
        measurePeer: async () => [await peer('warm')],
      },
      {
        rows: [FIRST],
        peer: 'jupyter_client, which starts a kernel',
        rounds: 5,
        measureOurs: async () => [await first()],
        measurePeer: async () => [await peer('first')],
      },
      {
        rows: [PRINTED],
        peer: 'what was printed',
        measureOurs: async () => {
          const printing = 'for i in range(1000): print("x" * 99_999)';
          return [(await growthDuring(daemon.pid, async () => void (await cell('warm', printing)))) / MIB];
        },
        measurePeer: async () => [100_000_000 / MIB],
      },
    ];
  },
};
