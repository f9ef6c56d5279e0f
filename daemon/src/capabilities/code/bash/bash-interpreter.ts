import { randomBytes } from 'node:crypto';
import { waitFor } from '@sandbox/api/wait.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import { exitEnd } from '../held/cell-end.ts';
import { markName } from '../held/cell-mark.ts';
import { MarkedOutput } from '../held/marked-output.ts';
import { afterFirst } from '../runtime/after-first.ts';
import type { InterpreterProcesses } from '../runtime/interpreter-processes.ts';
import type { Cell, CellEnd, Interpreter } from '../runtime/language-runtime.ts';
import { leave } from '../runtime/leave.ts';
import type { Had, OutputEvent, OutputSink } from '../runtime/output.ts';

/** Descriptors of the shell's own streams, beside those that a cell may point elsewhere. */
const [OUT, ERR] = [250, 251];
/** Descriptor from which the shell reads a cell. */
const CELL = 249;
/** Milliseconds that the shell may take to answer a line of the service. */
const ANSWER_MS = 10_000;
const IGNORED: OutputSink = { write: () => undefined };

/**
 * A shell that reads its cells from stdin. It is an interactive one without a terminal, since only that comes back to
 * its next line after SIGINT, from any depth; a cell is sourced, so that the shell does not talk about jobs.
 */
export class BashInterpreter implements Interpreter {
  readonly process: HostedProcess;
  readonly #processes: InterpreterProcesses;
  readonly #token: string;
  readonly #output: MarkedOutput;
  #isRunning = false;

  constructor(process: HostedProcess, processes: InterpreterProcesses, token: string) {
    this.process = process;
    this.#processes = processes;
    this.#token = token;
    this.#output = new MarkedOutput(process.output, token);
  }

  /** Makes the shell ready for its first cell. Returns what it said if it does not get ready. */
  async prepare(): Promise<string | undefined> {
    const said: string[] = [];
    const sink = { write: (event: OutputEvent) => void (event.type === 'stream' && said.push(event.text)) };
    const lines = [
      'PS1= PS2= PROMPT_COMMAND=',
      'set +o history; set +H',
      `exec ${OUT}>&1 ${ERR}>&2`,
      "trap 'exit 143' TERM",
    ];
    return (await this.#answer(lines.join('\n'), 'ready', sink)) === 0 ? undefined : said.join('');
  }

  async run(cell: Cell, sink: OutputSink): Promise<CellEnd> {
    this.#output.skip();
    const end = `CELL_${randomBytes(12).toString('hex')}`;
    const code = cell.code.replaceAll('\0', '');
    const source = `. /dev/fd/${CELL} ${CELL}<<'${end}' </dev/null\n${code}\n${end}\n`;
    return this.#follow(cell, sink, this.#write(source + this.#mark(cell.id)));
  }

  async resume(cell: Cell, sink: OutputSink, had: Had): Promise<CellEnd> {
    const { stdinBefore = Number.NEGATIVE_INFINITY } = cell;
    // The daemon died before the process host held the cell: its end would never come.
    if (this.process.stdinCount.taken <= stdinBefore) return { status: 'lost', executionCount: null, exitCode: null };
    await this.#output.rewind(cell.id);
    return this.#follow(cell, afterFirst(sink, had), Promise.resolve());
  }

  async interrupt(): Promise<void> {
    if (this.#isRunning) await this.#processes.signal(this.process, 'SIGINT');
  }

  async enter(cwd: string, env: Readonly<Record<string, string>>): Promise<void> {
    const variables = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`);
    const lines = [...variables, `cd -- ${quoted(cwd)}`].join('\n');
    if ((await this.#answer(lines, `enter ${randomBytes(8).toString('hex')}`, IGNORED)) !== 0) {
      throw new Error(`the shell does not enter ${cwd}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isRunning) await leave(this.process, () => this.#write('exit\n'));
    await this.#processes.end(this.process);
  }

  async #follow(cell: Cell, sink: OutputSink, written: Promise<void>): Promise<CellEnd> {
    this.#isRunning = true;
    const bounds = new AbortController();
    const copying = this.#output.copy(cell.id, sink, bounds.signal);
    await written;
    const exitCode = await copying;
    this.#isRunning = false;
    if (exitCode === undefined) return this.#exit(cell, sink);
    return { status: exitCode === 0 ? 'ok' : 'error', executionCount: null, exitCode };
  }

  /** The cell has ended the shell, by `exit` or `exec`; a signal is reported by the service. */
  async #exit(cell: Cell, sink: OutputSink): Promise<CellEnd> {
    const { exitCode } = await this.process.ended;
    return exitEnd(exitCode ?? undefined, cell, sink);
  }

  /** Runs lines of the service's own; their exit code. */
  async #answer(lines: string, id: string, sink: OutputSink): Promise<number | undefined> {
    this.#output.skip();
    await this.#write(`${lines}\n${this.#mark(id)}`);
    return this.#output.copy(id, sink, AbortSignal.timeout(ANSWER_MS));
  }

  /** A line that marks both streams; the exit code before it is that of the mark. */
  #mark(id: string): string {
    const text = `\\036${markName(this.#token, id)} %d\\036`;
    const [out, err] = [OUT, ERR].map((fd) => `builtin printf '${text}' "$_svc_code" >&${fd}`);
    return `{ _svc_code=$?; ${out}; ${err}; } 2>/dev/null\n`;
  }

  /** A shell that has ended says so by its end. */
  async #write(text: string): Promise<void> {
    await waitFor(this.process.writeStdin(Buffer.from(text)), { ms: ANSWER_MS }).catch(() => undefined);
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
