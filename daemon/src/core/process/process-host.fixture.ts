import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { describeRows } from '../../../../scripts/testing/describe-rows.ts';
import { ONLY_HOST } from '../../hosts.fixture.ts';
import type { ByteLog } from '../output/byte-log.ts';
import { KeeperHost } from './keeper/keeper-host.ts';
import { PortableHost } from './portable/portable-host.ts';
import type { HostedProcess, ProcessEnd, ProcessHost, ProcessTarget, StartSpec } from './process-host.ts';

interface HostRow {
  readonly name: string;
  readonly isThere: boolean;
  /** Whether a child can open `/dev/stdout` again. */
  readonly reopensOutput: boolean;
  /** Whether it can say what a process used. */
  readonly usage: boolean;
  readonly create: (directories: { output: string; scratch: string }) => ProcessHost | Promise<ProcessHost>;
}

const KEEPERS = ['keeper', 'keeper-sanitized'].map((name): HostRow => {
  const program = join(import.meta.dirname, '../../../../dist', name);
  const create = ({ output }: { output: string }) => KeeperHost.open({ directory: dirname(output), program });
  return { name, isThere: existsSync(program), reopensOutput: true, usage: true, create };
});

/** Every process host; the suites run on each. */
const HOSTS: readonly HostRow[] = [
  {
    name: 'portable',
    isThere: true,
    reopensOutput: true,
    usage: false,
    create: (directories) => new PortableHost(directories),
  },
  {
    name: 'portable without FIFOs',
    isThere: true,
    reopensOutput: false,
    usage: false,
    create: (directories) => new PortableHost({ ...directories, fifos: false }),
  },
  ...KEEPERS,
];

export const linux = process.platform === 'linux';
export const root = linux && process.getuid?.() === 0;

type Start<T> = (file: string, args?: readonly string[], more?: Partial<StartSpec>) => Promise<T>;

/** The end of a process and its whole output. */
interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  readonly end: ProcessEnd;
}

export interface HostKit {
  readonly reopensOutput: boolean;
  readonly usage: boolean;
  /** Directory of the current test, with the output in `output` and other files of the host in `scratch`. */
  readonly directory: string;
  readonly host: ProcessHost;
  readonly start: Start<HostedProcess>;
  /** Starts it and waits for its end. */
  readonly run: Start<Finished>;
  readonly kill: (hosted: HostedProcess, running: boolean, signal?: string) => Promise<number>;
}

/** Defines a suite once for every host, with a fresh one and a directory of its own for each test. */
export function describeHosts(define: (kit: HostKit) => void): void {
  describeRows(
    HOSTS.filter(({ name }) => ONLY_HOST === undefined || name === ONLY_HOST),
    ({ name }) => name,
    (row) => define(kitOf(row)),
  );
}

function kitOf({ create, reopensOutput, usage }: HostRow): HostKit {
  let directory = '';
  let host: ProcessHost;
  let count = 0;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'process-host-'));
    for (const name of ['output', 'scratch']) mkdirSync(join(directory, name));
    host = await create({ output: join(directory, 'output'), scratch: join(directory, 'scratch') });
  });
  afterEach(async () => {
    await host[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });
  const start: Start<HostedProcess> = (file, args = [], more = {}) => {
    const id = `c${process.pid}-${count++}`;
    const env = { PATH: '/usr/bin:/bin', SHLVL: '1', SVC_COMMAND_ID: id };
    return host.start({ id, file, args, cwd: '/', env, stdin: 'null', outputMaxBytes: 64 * 1024 * 1024, ...more });
  };
  return {
    reopensOutput,
    usage,
    get directory() {
      return directory;
    },
    get host() {
      return host;
    },
    start,
    run: async (...given) => {
      const { ended, output } = await start(...given);
      const end = await ended;
      return { end, stdout: await textOf(output.stdout), stderr: await textOf(output.stderr) };
    },
    kill: (hosted, running, signal = 'SIGKILL') => host.signal([targetOf(hosted, running)], signal),
  };
}

export function targetOf({ id, pid }: HostedProcess, running: boolean): ProcessTarget {
  return { id, pid, running };
}

/** All kept bytes. */
export async function bytesOf(log: ByteLog): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let at = log.first; at < log.end; ) {
    const { offset, bytes } = await log.read(at, 1024 * 1024);
    parts.push(bytes);
    at = offset + bytes.length;
  }
  return Buffer.concat(parts);
}

export const textOf = async (log: ByteLog): Promise<string> => (await bytesOf(log)).toString();

/** The reason of the rejection. Call it before the promise can reject: an unhandled rejection ends the run. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was not rejected');
}

/** Waits until the log is sealed: every process that held the pipe has ended. */
export async function sealed(log: ByteLog): Promise<void> {
  while (!log.sealed) await log.advanced(log.end);
}

/** Waits for descriptors that close at the end of a turn of the event loop; answers the last count. */
export async function descriptorsComeTo(atMost: number): Promise<number> {
  const deadline = performance.now() + 45_000;
  while (openDescriptors() > atMost && performance.now() < deadline) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  return openDescriptors();
}

export function openDescriptors(): number {
  return linux ? readdirSync('/proc/self/fd').length : 0;
}

/** Children of this process that ended and were not reaped. */
export function zombies(): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' && parent === String(process.pid);
    } catch {
      return false;
    }
  });
}
