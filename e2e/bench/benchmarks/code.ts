import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../scripts/root.ts';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { growthDuring, memoryOf } from '../../../scripts/testing/process-memory.ts';
import { virtualEnvironment } from '../../clients/virtual-environment.ts';
import type { Benchmark, Measurement, Row } from '../harness/benchmark.ts';
import { besideFloor } from '../harness/rows.ts';
import { median } from '../harness/statistics.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { MIB } from '../testbed/memory.ts';
import { type Service, startDaemon, type Variables } from '../testbed/services.ts';

const CELLS = 200;
/** Cells of the load on one and on many sessions, and its sessions. */
const LOAD = { cells: 320, sessions: 16 } as const;
const LOAD_CODE = 'sum(i * i for i in range(100_000))';
/** Milliseconds in which a pool is filled again. */
const REFILL_MS = 2000;
const PACKAGES = ['ipykernel==7.4.0', 'jupyter_client==8.10.0', 'jupyter_server==2.21.1', 'pandas==3.1.1'];

const lower = { unit: 'ms', better: 'lower' } as const;
const under = (bound: number, words: string) => ({ words, of: 'value', bound }) as const;
const WARM: Row = {
  ...lower,
  name: 'warm cell of Python',
  goal: { words: "at most 1.1× jupyter_client's", of: 'ratio', bound: 1.1 },
};
const SERVER: Row = {
  ...lower,
  name: 'warm cell of Python, beside a Jupyter server',
  goal: { words: 'at most a tenth', of: 'ratio', bound: 0.1 },
};
const FIRST: Row = { ...lower, name: 'first cell of a new session, without a pool', goal: under(100, 'under 100 ms') };
const PRELOADED: Row = {
  ...lower,
  name: 'first cell of a new session, which uses pandas, preloaded',
  goal: under(100, 'under 100 ms'),
};
const POOLED: Row = { ...lower, name: 'first cell of a new session, from the pool', goal: under(20, 'under 20 ms') };
const PRINTED: Row = {
  unit: 'MiB',
  better: 'lower',
  name: 'daemon during 100 MB of output',
  goal: under(32, 'at most 32 MiB'),
};
const MANY: Row = {
  unit: 'cells/s',
  better: 'higher',
  name: `cells of ${LOAD.sessions} sessions at once`,
  goal: { words: "at least 1.8× one session's", of: 'ratio', bound: 1.8 },
};
const IDLE: Row = {
  unit: 'MiB',
  better: 'lower',
  name: 'daemon for each idle session',
  goal: under(1, 'at most 1 MiB'),
};

const run = promisify(execFile);

/** Milliseconds that a program of `e2e/bench/peers` prints; it gets a directory and the number of cells. */
async function peer(python: string, program: string, ...args: readonly string[]): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-cells-'));
  try {
    const { stdout } = await run(python, [join(ROOT, 'e2e/bench/peers', program), ...args, directory, String(CELLS)]);
    return Number(stdout);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A daemon that serves Python, and what runs cells there; each answers its milliseconds. */
class Cells implements AsyncDisposable {
  readonly daemon: Service;
  readonly #client: HttpClient;
  #sessions = 0;

  private constructor(daemon: Service) {
    this.daemon = daemon;
    this.#client = new HttpClient(daemon.port);
  }

  static async start(python: string, variables: Variables = {}): Promise<Cells> {
    const PATH = `${dirname(python)}:/usr/bin:/bin`;
    return new Cells(await startDaemon({ PATH, SVC_KERNEL_MAX_SESSIONS: '100', ...variables }));
  }

  async run(session_id: string, code: string): Promise<number> {
    const begun = performance.now();
    const body = { language: 'python', code, session_id, timeout: 120 };
    const { data } = JSON.parse(requireOk(await this.#client.post('/v2/code/execute', body)));
    if (data.status !== 'ok') throw new Error(`the cell ended with ${data.status}`);
    return performance.now() - begun;
  }

  first(code = '1+1'): Promise<number> {
    this.#sessions += 1;
    return this.run(`first-${this.#sessions}`, code);
  }

  async figure(name: string): Promise<number> {
    const text = requireOk(await this.#client.get('/metrics'));
    return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
  }

  /** Waits until a metric has a value. */
  async until(name: string, value: number): Promise<void> {
    const deadline = performance.now() + 60_000;
    while ((await this.figure(name)) < value) {
      if (performance.now() > deadline) throw new Error(`${name} does not become ${value}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]();
    await this.daemon[Symbol.asyncDispose]();
  }
}

/** Cells a second of that many sessions at once. */
async function rateOf(cells: Cells, sessions: number): Promise<number> {
  const begun = performance.now();
  const each = async (session: number): Promise<void> => {
    for (let i = 0; i < LOAD.cells / sessions; i += 1) await cells.run(`load-${session}`, LOAD_CODE);
  };
  await Promise.all(Array.from({ length: sessions }, (_, session) => each(session)));
  return (LOAD.cells / (performance.now() - begun)) * 1000;
}

export const code: Benchmark = {
  name: 'code',
  about:
    `a warm cell is \`1+1\` in a session that has run one, the median of ${CELLS} over HTTP; the peers are ` +
    'jupyter_client in its own process over Unix sockets and a Jupyter server over its WebSocket, each with a kernel ' +
    'of the same Python. Floor, the kernel itself: a program that sends a signed request over its Unix sockets and waits for ' +
    'reply and idle, without which no client has an answer. The first cell of a session includes the start of its ' +
    'kernel, which a zygote forks; the peer starts a kernel. Memory is the growth of the daemon while a cell prints 100 MB, of which 2,000,000 characters ' +
    `are kept, and for each of ${LOAD.sessions} sessions that have run a cell. The load on many sessions is a cell ` +
    'of some 5 ms.',
  reasons: {
    [WARM.name]:
      'HTTP and its answer take 0.3 ms; the rest is that each of the five messages of the kernel wakes the daemon, ' +
      'beside the kernel and the client on two cores. Most of the time is that of the kernel itself (its floor).',
    [SERVER.name]:
      'the kernel itself takes nearly a tenth (its floor), and no client has an answer before its reply and idle.',
  },
  async prepare(stack) {
    const python = await virtualEnvironment('bench-code', [['install', '--quiet', ...PACKAGES]]);
    const cells = stack.use(await Cells.start(python));
    const preloaded = stack.use(await Cells.start(python, { SVC_KERNEL_PRELOAD: 'pandas' }));
    const pooled = stack.use(await Cells.start(python, { SVC_KERNEL_PREWARM: '2' }));
    await cells.run('warm', '1');
    await Promise.all([
      cells.until('code_zygotes', 1),
      preloaded.until('code_zygotes', 1),
      pooled.until('code_warm', 2),
    ]);
    const startsKernel = 'jupyter_client, which starts a kernel';
    const first = (): Promise<number> => peer(python, 'cells.py', 'first');
    const measureOurs = async (): Promise<number[]> => {
      const times: number[] = [];
      for (let i = 0; i < CELLS; i += 1) times.push(await cells.run('warm', '1+1'));
      return [median(times)];
    };
    const besideItself = (measured: Measurement): Measurement =>
      besideFloor(measured, 'the kernel itself', async () => [await peer(python, 'cells.py', 'plain')]);
    const besideClient: Measurement = {
      rows: [WARM],
      peer: 'jupyter_client',
      measureOurs,
      measurePeer: async () => [await peer(python, 'cells.py', 'warm')],
    };
    const besideServer: Measurement = {
      rows: [SERVER],
      peer: 'a Jupyter server',
      measureOurs,
      measurePeer: async () => [await peer(python, 'jupyter-server-cells.py', String(await freePort()))],
    };
    return [
      besideClient,
      besideItself(besideClient),
      besideServer,
      besideItself(besideServer),
      {
        rows: [FIRST],
        peer: startsKernel,
        measureOurs: async () => [await cells.first()],
        measurePeer: async () => [await first()],
      },
      {
        rows: [PRELOADED],
        peer: startsKernel,
        measureOurs: async () => [await preloaded.first('import pandas; len(pandas.DataFrame({"a": [1]}))')],
        measurePeer: async () => [await first()],
      },
      {
        rows: [POOLED],
        peer: startsKernel,
        measureOurs: async () => {
          await pooled.until('code_warm', 2);
          await new Promise((resolve) => setTimeout(resolve, REFILL_MS));
          return [await pooled.first()];
        },
        measurePeer: async () => [await first()],
      },
      {
        rows: [PRINTED],
        peer: 'what was printed',
        measureOurs: async () => {
          const printing = 'for i in range(1000): print("x" * 99_999)';
          return [(await growthDuring(cells.daemon.pid, async () => void (await cells.run('warm', printing)))) / MIB];
        },
        measurePeer: async () => [100_000_000 / MIB],
      },
      {
        rows: [IDLE],
        peer: 'nothing',
        measureOurs: async () => {
          const before = memoryOf(cells.daemon.pid).rss;
          for (let session = 0; session < LOAD.sessions; session += 1) await cells.run(`load-${session}`, '1');
          return [Math.max(0, memoryOf(cells.daemon.pid).rss - before) / MIB / LOAD.sessions];
        },
        measurePeer: async () => [0],
      },
      {
        rows: [MANY],
        peer: 'one session',
        measureOurs: async () => [await rateOf(cells, LOAD.sessions)],
        measurePeer: async () => [await rateOf(cells, 1)],
      },
    ];
  },
};
