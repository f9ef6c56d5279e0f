import type { Recorder } from '../../../core/recorder/recorder.ts';
import type { ConsoleRecord, SessionRecord } from './session-record.ts';

/** How far the output of a session reaches. */
interface Output {
  readonly end: number;
  readonly closed: boolean;
  advanced(offset: number, signal: AbortSignal): Promise<void>;
}

/** Reports the life of one terminal and the ranges of its output to the recorder; what is typed is not reported. */
export class SessionEvents {
  readonly #recorder: Recorder;
  readonly #record: SessionRecord;
  readonly #output: Output;
  readonly #over = new AbortController();
  /** Offset after the output that was reported. */
  #reported = 0;
  #hasEnded = false;

  constructor(recorder: Recorder, record: SessionRecord, output: Output) {
    this.#recorder = recorder;
    this.#record = record;
    this.#output = output;
  }

  /** Once its first shell runs. */
  opened(pid: number | null): void {
    if (!this.#recorder.isOn) return;
    const { cwd, cols, rows, user, command, args } = this.#record;
    const program = command === null ? undefined : [command, ...args].join(' ');
    this.#recorder.note('terminal.opened', this.#refs, { cols, rows, cwd, user, command: program, pid });
    void this.#follow();
  }

  /** It was opened before this daemon started. */
  found(): void {
    if (!this.#recorder.isOn) return;
    const { cols, rows, createdAt } = this.#record;
    this.#reported = this.#output.end;
    this.#recorder.observe('terminal.found', this.#refs, { cols, rows, createdAt, outputBytes: this.#reported });
    void this.#follow();
  }

  resized(): void {
    const { cols, rows } = this.#record;
    this.#recorder.note('terminal.resized', this.#refs, { cols, rows });
  }

  executes({ command, start }: ConsoleRecord): void {
    this.#recorder.note('terminal.exec', this.#refs, { command, start });
  }

  executed({ command, start, end, exitCode, status, signal }: ConsoleRecord): void {
    this.#reportOutput();
    this.#recorder.observe('terminal.exec_ended', this.#refs, { command, start, end, exitCode, status, signal });
  }

  /** A call asked for the end. */
  closed(): void {
    if (!this.#hasEnded) this.#recorder.note('terminal.closed', this.#refs);
  }

  /** No shell follows. */
  ended(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#over.abort();
    this.#reportOutput();
    const { state, exitCode, signal } = this.#record;
    const data = { state, exitCode, signal, outputBytes: this.#output.end };
    this.#recorder.observe('terminal.ended', this.#refs, data);
  }

  get #refs(): { readonly sessionId: string } {
    return { sessionId: this.#record.id };
  }

  async #follow(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await this.#output.advanced(this.#reported, signal);
      if (!this.#reportOutput() && this.#output.closed) return;
    }
  }

  /** False if it has not grown. */
  #reportOutput(): boolean {
    const { end } = this.#output;
    if (end <= this.#reported) return false;
    this.#recorder.observeRange('terminal.output', ['sessionId', this.#record.id], this.#reported, end);
    this.#reported = end;
    return true;
  }
}
