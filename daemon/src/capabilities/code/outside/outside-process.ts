import { tmpdir } from 'node:os';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import type { HostedProcess, ProcessEnd } from '../../../core/process/process-host.ts';
import { NO_STDIN } from '../../../core/process/stdin/stdin-sink.ts';
import type { InterpreterRecord } from '../runtime/interpreter-processes.ts';

const PREFIX = 'jupyter-';

/** The id of the kernel that stands in the id of its process; undefined for a process of the host. */
export function outsideKernelId(processId: string): string | undefined {
  return processId.startsWith(PREFIX) ? processId.slice(PREFIX.length) : undefined;
}

/** Stands for a process that runs elsewhere: it has an end and nothing else. */
export class OutsideProcess implements HostedProcess {
  readonly id: string;
  readonly pid = 0;
  readonly record: string;
  readonly output: OutputLog;
  readonly ended: Promise<ProcessEnd>;
  readonly #settle: (end: ProcessEnd) => void;

  constructor(kernelId: string) {
    this.id = PREFIX + kernelId;
    const record: InterpreterRecord = { runtime: 'outside', state: null };
    this.record = JSON.stringify(record);
    this.output = OutputLog.empty(tmpdir(), this.id);
    const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
    this.ended = promise;
    this.#settle = resolve;
  }

  /** The first call counts. */
  end(): void {
    const endedAt = new Date();
    this.#settle({ exitCode: null, signal: null, background: false, usage: null, endedAt, lost: true });
  }

  readonly stdinCount = NO_STDIN;

  writeStdin(): Promise<never> {
    return Promise.reject(new SandboxError('conflict', 'the process runs elsewhere'));
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
    // Nothing is kept of its end.
  }
}
