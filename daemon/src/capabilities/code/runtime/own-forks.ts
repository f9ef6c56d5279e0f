import { constants } from 'node:os';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import type { OutputLog } from '../../../core/output/output-log.ts';
import type { HostedProcess, ProcessEnd } from '../../../core/process/process-host.ts';
import { NO_STDIN } from '../../../core/process/stdin/stdin-sink.ts';

/** Bytes of reports that are read at once; the longest line of one is 100 bytes. */
const READ_BYTES = 64 * 1024;

/** The bits of a status of wait(2). */
const SIGNAL_BITS = 0x7f;

interface Fork {
  readonly output: OutputLog;
  readonly started: (process: HostedProcess) => void;
  readonly end: PromiseWithResolvers<ProcessEnd>;
}

/** Processes that a process has forked and waits for: it reports `{"id", "pid"}` and `{"id", "status"}` on stdout. */
export class OwnForks {
  readonly #forker: HostedProcess;
  readonly #forks = new Map<string, Fork>();
  readonly #stop = new AbortController();

  constructor(forker: HostedProcess) {
    this.#forker = forker;
    void this.#read();
  }

  /** @throws Error if the process is not there within `ms`; a later one goes to `onLate` */
  async fork(
    output: OutputLog,
    request: Uint8Array,
    { ms, onLate }: { readonly ms: number; readonly onLate: (process: HostedProcess) => void },
  ): Promise<HostedProcess> {
    const { promise, resolve: started } = Promise.withResolvers<HostedProcess>();
    const end = Promise.withResolvers<ProcessEnd>();
    this.#forks.set(output.id, { output, started, end });
    await this.#forker.writeStdin(request);
    const first = Promise.race([promise, end.promise.then(() => undefined)]);
    const process = (await waitFor(first, { ms })) === 'settled' ? await first : undefined;
    if (process) return process;
    void promise.then(onLate);
    throw new Error('the process was not forked');
  }

  /** Lets the forker end when its children have; resolves then. */
  async close(): Promise<void> {
    await this.#forker.endStdin();
    await this.#forker.ended;
  }

  async #read(): Promise<void> {
    void this.#forker.ended.then(() => this.#stop.abort());
    const { stdout } = this.#forker.output;
    let rest = '';
    for (let at = 0; ; ) {
      await stdout.advanced(at, this.#stop.signal);
      const { offset, bytes } = await stdout.read(at, READ_BYTES);
      at = offset + bytes.length;
      const lines = (rest + bytes.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('{')) this.#take(line);
      // The forker may live on without its stdout, and then says nothing more.
      if (at >= stdout.end && (stdout.sealed || this.#stop.signal.aborted)) break;
    }
    for (const { end } of this.#forks.values()) end.resolve({ ...NO_END, endedAt: new Date(), lost: true });
    this.#forks.clear();
  }

  #take(line: string): void {
    const { id, pid, status } = JSON.parse(line) as { id: string; pid?: number; status?: number };
    const fork = this.#forks.get(id);
    if (fork === undefined) return;
    if (pid !== undefined) fork.started(new ForkedProcess(fork.output, pid, fork.end.promise));
    if (status === undefined) return;
    this.#forks.delete(id);
    fork.end.resolve({ ...endOf(status), endedAt: new Date() });
  }
}

class ForkedProcess implements HostedProcess {
  readonly id: string;
  readonly pid: number;
  readonly output: OutputLog;
  readonly ended: Promise<ProcessEnd>;

  constructor(output: OutputLog, pid: number, ended: Promise<ProcessEnd>) {
    this.id = output.id;
    this.pid = pid;
    this.output = output;
    this.ended = ended;
  }

  readonly stdinCount = NO_STDIN;

  writeStdin(): Promise<never> {
    return Promise.reject(new SandboxError('conflict', 'the process has no stdin'));
  }

  typeStdin(): Promise<never> {
    return this.writeStdin();
  }

  offerStdin(): Promise<never> {
    return this.writeStdin();
  }

  endStdin(): Promise<never> {
    return this.writeStdin();
  }

  acknowledgeExit(): void {
    // Its forker has waited for it.
  }
}

const NO_END = { exitCode: null, signal: null, background: false, usage: null } as const;

function endOf(status: number): Omit<ProcessEnd, 'endedAt'> {
  const number = status & SIGNAL_BITS;
  if (number === 0) return { ...NO_END, exitCode: status >> 8 };
  const signal = Object.entries(constants.signals).find(([, each]) => each === number)?.[0] ?? `SIG${number}`;
  return { ...NO_END, signal };
}
