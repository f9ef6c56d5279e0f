import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { growthDuring } from '../../../scripts/testing/process-memory.ts';
import type { Benchmark, Goal, Measurement } from '../harness/benchmark.ts';
import { drain, openUnread } from '../testbed/drain.ts';
import { HOSTS } from '../testbed/hosts.ts';
import { MIB } from '../testbed/memory.ts';
import { commandEnded, runCommand, startCommand } from '../testbed/run-command.ts';
import { type Service, startDaemon, startPeer } from '../testbed/services.ts';

const GIB = 1024 ** 3;
/** Bytes of text to read back: whole lines of printable ASCII. */
const LINE = 'The quick brown fox "jumps" over the lazy dog; 0123456789 times, and back again.\n';
const TEXT_BYTES = LINE.length * Math.floor((256 * MIB) / LINE.length);
const RAW = { accept: 'application/octet-stream' };
const CAPS = { SVC_COMMAND_OUTPUT_MAX_BYTES: String(2 * GIB) };
const NDJSON = { accept: 'application/x-ndjson' };

export const output: Benchmark = {
  name: 'output',
  about:
    'the output of a command, into the log and back. Written: 1 GiB of `head -c 1G /dev/zero`, against the same ' +
    'through `cat` into a file. Read: 256 MiB of lines of text by offset, to a reader that discards them, against a ' +
    '`node:http` server that pipes the same file in pieces of 1 MiB, without encoding: for NDJSON that is the limit ' +
    'of the transport, not a peer. Memory: growth of a fresh process (VmHWM over its earlier VmRSS) while a command ' +
    'writes 1 GiB of NULs and a reader takes them as NDJSON, and with a reader that opens that stream and reads ' +
    'nothing until all is written; the peer pipes `head` into the answer, where the command stalls with its reader.',
  reasons: {
    'NDJSON of text read back':
      'each byte is decoded, escaped by `JSON.stringify` and encoded again on the main thread, which raw bytes are not.',
  },
  async prepare(stack) {
    const directory = mkdtempSync(join(tmpdir(), 'bench-output-'));
    stack.defer(() => rmSync(directory, { recursive: true, force: true }));
    const file = join(directory, 'text');
    await writeFile(file, Buffer.alloc(TEXT_BYTES, LINE));
    const daemon = stack.use(await startDaemon(CAPS));
    // A separate daemon, so that these writes do not evict the bytes to read.
    const writing = await Promise.all(
      HOSTS.map(async (host) =>
        written(host, stack.use(await startDaemon({ ...CAPS, SVC_PROCESS_HOST: host })), directory),
      ),
    );
    const peerArgs = [file, String(GIB)];
    const peer = stack.use(await startPeer('files.mjs', peerArgs));
    const path = await runCommand(daemon, `cat ${file}`);
    return [
      ...writing,
      read('raw bytes read back', 500, { daemon, peer, path, headers: RAW }),
      read('NDJSON of text read back', 250, { daemon, peer, path, headers: NDJSON }),
      grown('memory while 1 GiB is written and read', peerArgs, drainWhole),
      grown('memory with a reader that reads nothing', peerArgs, leaveUnread),
    ];
  },
};

function written(host: string, daemon: Service, directory: string): Measurement {
  const file = join(directory, 'zeros');
  const goal: { goal?: Goal } =
    host === 'keeper' ? { goal: { words: 'at least 0.7× the shell', of: 'ratio', bound: 0.7 } } : {};
  const speed = (begun: number): number[] => [GIB / 1e6 / ((performance.now() - begun) / 1000)];
  return {
    rows: [{ name: `written to the log, ${host}`, unit: 'MB/s', better: 'higher', ...goal }],
    peer: '`head` through `cat` into a file',
    rounds: 3,
    measureOurs: async () => {
      const begun = performance.now();
      await runCommand(daemon, 'head -c 1G /dev/zero');
      return speed(begun);
    },
    measurePeer: async () => {
      const begun = performance.now();
      await once(spawn('bash', ['-c', `head -c 1G /dev/zero | cat > ${file}`], { stdio: 'ignore' }), 'exit');
      const figures = speed(begun);
      if (statSync(file).size !== GIB) throw new Error('the peer did not write all of it');
      rmSync(file);
      return figures;
    },
  };
}

type Flow = (port: number, path: string, ended: () => Promise<void>) => Promise<void>;

interface Reading {
  readonly daemon: Service;
  readonly peer: Service;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

function read(name: string, bound: number, { daemon, peer, path, headers }: Reading): Measurement {
  const speed = (seconds: number): number[] => [TEXT_BYTES / 1e6 / seconds];
  return {
    rows: [{ name, unit: 'MB/s', better: 'higher', goal: { words: `at least ${bound} MB/s`, of: 'value', bound } }],
    peer: 'node:http piping the file',
    measureOurs: async () => speed((await drain(daemon.port, path, TEXT_BYTES, headers)).seconds),
    measurePeer: async () => speed((await drain(peer.port, '/file', TEXT_BYTES)).seconds),
  };
}

/** A new process per figure: memory that a process has grown by once is reused. */
function grown(name: string, peerArgs: readonly string[], flow: Flow): Measurement {
  const [words, bound] = ['under 32 MiB', 32];
  return {
    rows: [{ name, unit: 'MiB', better: 'lower', goal: { words, of: 'value', bound } }],
    peer: 'node:http piping the command',
    rounds: 3,
    measureOurs: async () => {
      await using daemon = await startDaemon(CAPS);
      await runCommand(daemon, 'true');
      const growth = await growthDuring(daemon.pid, async () => {
        const path = await startCommand(daemon, 'head -c 1G /dev/zero');
        await flow(daemon.port, `${path}?stream=true`, () => commandEnded(daemon, path, GIB));
      });
      return [growth / MIB];
    },
    measurePeer: async () => {
      await using peer = await startPeer('files.mjs', peerArgs);
      return [(await growthDuring(peer.pid, () => flow(peer.port, '/zeros', aWhile))) / MIB];
    },
  };
}

async function drainWhole(port: number, path: string): Promise<void> {
  await drain(port, path, GIB);
}

async function leaveUnread(port: number, path: string, ended: () => Promise<void>): Promise<void> {
  const socket = await openUnread(port, path, {});
  await ended();
  socket.destroy();
}

/** The peer's command stalls with its reader, so it never ends. */
async function aWhile(): Promise<void> {
  await delay(500);
}
