import { growthDuring, memoryOf } from '../../../scripts/testing/process-memory.ts';
import type { Benchmark, Goal, Measurement, Row } from '../harness/benchmark.ts';
import { besideFloor } from '../harness/rows.ts';
import { median } from '../harness/statistics.ts';
import { requireOk } from '../testbed/http-client.ts';
import { MIB } from '../testbed/memory.ts';
import { type Service, startDaemon, startGateway, startPeer } from '../testbed/services.ts';
import { type OpenTerminal, ourTerminals, peerTerminals, sessionUrl, Terminal } from '../testbed/terminal.ts';
import { startTtyd, ttydTerminals } from '../testbed/ttyd.ts';

const KEYSTROKES = 500;
const OUTPUT_BYTES = 10_000_000;
const SHELL = ['bash', '--norc', '--noprofile'] as const;
const IDLE_SESSIONS = 20;
const PLAIN = 'node-pty and ws, direct';
const RELAYED = 'node-pty and ws behind two relays of Node';

const OUTPUTS: readonly (readonly [string, string])[] = [
  ['lines of text', `seq 1 2000000 | head -c ${OUTPUT_BYTES}`],
  ['yes', `yes | head -c ${OUTPUT_BYTES}`],
  ['base64', `head -c 7300000 /dev/urandom | base64 | head -c ${OUTPUT_BYTES}`],
];

/** Milliseconds from a key to its echo by the terminal itself. */
async function echo(open: OpenTerminal): Promise<number> {
  using terminal = await open(['cat']);
  const times: number[] = [];
  for (let i = 0; i < KEYSTROKES; i += 1) {
    const begun = performance.now();
    terminal.type('x');
    await terminal.until(i + 1);
    times.push(performance.now() - begun);
  }
  return median(times.slice(KEYSTROKES / 10));
}

/** Megabytes a second of output to one viewer. */
async function throughput(open: OpenTerminal, script: string): Promise<number> {
  using terminal = await open(['bash', '-c', `read -r; stty -opost -echo; ${script}; printf 'over!'; read -r`]);
  const begun = performance.now();
  terminal.type('\r');
  await terminal.endsWith('over!');
  return terminal.received / 1e6 / ((performance.now() - begun) / 1000);
}

/** Milliseconds until the first byte of the prompt. */
async function firstByte(open: OpenTerminal): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    const begun = performance.now();
    using terminal = await open(SHELL);
    await terminal.until(1);
    times.push(performance.now() - begun);
  }
  return median(times);
}

async function newest({ client }: ReturnType<typeof ourTerminals>): Promise<string> {
  const { sessions } = JSON.parse(requireOk(await client.get('/v2/pty/sessions'))).data;
  return Object.keys(sessions).at(-1) ?? '';
}

/** Waits until the screen is current; the rendering thread then runs. */
async function drawn({ client }: ReturnType<typeof ourTerminals>, id: string): Promise<void> {
  requireOk(await client.get(`/v2/pty/sessions/${id}/screen`));
}

/** Growth of the daemon in MiB during 50 MB of output beside a viewer that reads nothing. */
async function stalledGrowth(daemon: Service): Promise<number> {
  const open = ourTerminals(daemon);
  using terminal = await open(['bash', '-c', 'read -r; seq 1 6600000; printf "over!"; read -r']);
  const id = await newest(open);
  await drawn(open, id);
  using stalled = await Terminal.open(sessionUrl(daemon, id));
  stalled.stall();
  const growth = await growthDuring(daemon.pid, async () => {
    terminal.type('\r');
    await terminal.endsWith('over!');
  });
  return growth / MIB;
}

/** Memory per idle session, of twenty, in MiB. */
async function idleSession(): Promise<number> {
  await using daemon = await startDaemon({ SVC_SHELL_MAX_SESSIONS: '100' });
  const open = ourTerminals(daemon);
  const terminals = [await open(SHELL)];
  await terminals[0]?.until(1);
  await drawn(open, await newest(open));
  const before = memoryOf(daemon.pid).rss;
  for (let i = 0; i < IDLE_SESSIONS; i += 1) terminals.push(await open(SHELL));
  for (const terminal of terminals) await terminal.until(1);
  const after = memoryOf(daemon.pid).rss;
  for (const terminal of terminals) terminal[Symbol.dispose]();
  return (after - before) / MIB / IDLE_SESSIONS;
}

/** Milliseconds from attaching to the snapshot of a session with 10 MiB of history. */
async function firstPaint(daemon: Service): Promise<number> {
  const open = ourTerminals(daemon);
  using terminal = await open(['bash', '-c', 'seq 1 1400000; printf "over!"; read -r']);
  await terminal.endsWith('over!');
  const id = await newest(open);
  await drawn(open, id);
  const times: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    const begun = performance.now();
    using viewer = await Terminal.open(sessionUrl(daemon, id, '&restore=true'));
    await viewer.painted;
    times.push(performance.now() - begun);
  }
  return median(times);
}

/** What our figures stand beside. */
interface Compared {
  readonly peer: string;
  readonly theirs: OpenTerminal;
  /** Ends the names of rows without goals. */
  readonly label?: string;
  /** The plainest terminals with as many processes on the way as ours. */
  readonly floor?: OpenTerminal;
}

function comparisons(ours: OpenTerminal, { peer, theirs, label, floor }: Compared): Measurement[] {
  const compared = (row: Row, measure: (open: OpenTerminal) => Promise<number>): Measurement => ({
    peer,
    rows: [label === undefined ? row : { name: `${row.name}, ${label}`, unit: row.unit, better: row.better }],
    measureOurs: async () => [await measure(ours)],
    measurePeer: async () => [await measure(theirs)],
  });
  const twice: Goal = { words: "at most 2× the peer's direct echo", of: 'ratio', bound: 2 };
  const atLeast: Goal = { words: "at least the peer's", of: 'ratio', bound: 1 };
  const soon: Goal = { words: 'under 10 ms', of: 'value', bound: 10 };
  const timed = (row: Row, measure: (open: OpenTerminal) => Promise<number>): Measurement[] => {
    const measurement = compared(row, measure);
    return floor === undefined
      ? [measurement]
      : [measurement, besideFloor(measurement, RELAYED, async () => [await measure(floor)])];
  };
  return [
    ...timed({ name: 'echo of a key, p50', unit: 'ms', better: 'lower', goal: twice }, echo),
    ...OUTPUTS.map(([name, script]) =>
      compared({ name: `output, ${name}`, unit: 'MB/s', better: 'higher', goal: atLeast }, (open) =>
        throughput(open, script),
      ),
    ),
    ...timed({ name: 'open, first byte of the prompt', unit: 'ms', better: 'lower', goal: soon }, firstByte),
  ];
}

export const terminals: Benchmark = {
  name: 'terminals',
  about:
    'terminals over WebSocket, ours through the gateway, against ttyd of Debian unstable, direct, in a root ' +
    'directory of its own, and against a server of twenty lines that joins node-pty to ws and keeps nothing; ' +
    'without ttyd the goals apply to that one. Echo: median of 450 keys of one viewer, echoed by the terminal ' +
    'itself. Floor: the same server behind two relays of Node, which pipe sockets into each other, since ours has a ' +
    'gateway and a daemon before the process that holds the terminal. Output: 10 MB to one viewer. Open: from the ' +
    'first request (ours: create a session, then attach) to the first byte of the prompt of `bash --norc --noprofile`. Memory and first paint: of the daemon alone, in a ' +
    'separate process.',
  reasons: {
    'echo of a key, p50':
      'a key and its echo pass the gateway, the daemon and the keeper, each a process that must wake; the peer is one ' +
      'process, without gateway and keeper.',
    'open, first byte of the prompt':
      'at the goal: two requests through the gateway, to create the session and to attach, where the peer needs one ' +
      'connection.',
  },
  async prepare(stack) {
    const daemon = stack.use(await startDaemon({ SVC_SHELL_MAX_SESSIONS: '10000' }));
    const gateway = stack.use(await startGateway(daemon));
    const ours = ourTerminals(gateway);
    const server = stack.use(await startPeer('terminals.mjs'));
    const plain = peerTerminals(server);
    const relay = stack.use(await startPeer('relay.mjs', ['tcp', String(server.port)]));
    const floor = peerTerminals(stack.use(await startPeer('relay.mjs', ['tcp', String(relay.port)])));
    const ttyd = await startTtyd();
    const compared = ttyd
      ? [
          ...comparisons(ours, { peer: 'ttyd, direct', theirs: ttydTerminals(stack.use(ttyd)), floor }),
          ...comparisons(ours, { peer: PLAIN, theirs: plain, label: 'beside node-pty' }),
        ]
      : comparisons(ours, { peer: PLAIN, theirs: plain, floor });
    return [
      ...compared,
      {
        peer: 'nothing',
        rows: [
          {
            name: 'memory, 50 MB beside a stalled viewer',
            unit: 'MiB',
            better: 'lower',
            goal: { words: 'under 32 MiB', of: 'value', bound: 32 },
          },
          {
            name: 'memory of an idle session',
            unit: 'MiB',
            better: 'lower',
            goal: { words: 'under 2 MB', of: 'value', bound: 1.9 },
          },
          {
            name: 'first paint of 10 MiB of history',
            unit: 'ms',
            better: 'lower',
            goal: { words: 'under 50 ms', of: 'value', bound: 50 },
          },
        ],
        measureOurs: async () => {
          await using fresh = await startDaemon({ SVC_SHELL_MAX_SESSIONS: '100', SVC_PTY_HISTORY_BYTES: '67108864' });
          return [await stalledGrowth(fresh), await idleSession(), await firstPaint(fresh)];
        },
        measurePeer: async () => [0, 0, 0],
      },
    ];
  },
};
