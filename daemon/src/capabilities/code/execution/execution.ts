import type { WaitBounds } from '@sandbox/api/wait.ts';
import { installHint } from '../../../core/environment/refused-install.ts';
import { EventLog, type LogEntry } from '../../../core/event-log.ts';
import { killedNote, killedOf } from '../../../core/process/memory-kill.ts';
import type { OutputEvent, OutputSink } from '../runtime/output.ts';
import { CellInput } from './cell-input.ts';
import type { CellReport } from './cell-report.ts';
import type { ExecutionEnd, ExecutionHead } from './execution-head.ts';
import type { JournalFile } from './journal-file.ts';
import { OutputLimits, sizeOf } from './output-limits.ts';
import { OutputList, streamText } from './output-list.ts';

/** Pieces of a stream that arrive one by one; after that many entries they are gathered. */
const SINGLE_ENTRIES = 1000;
/** Milliseconds for which they are gathered then. */
const GATHER_MS = 50;
/** Beyond what the limits of one cell let through, so that a reader loses nothing. */
const LOG_ENTRIES = 50_000;

/** Prompts of one cell that are kept as events. */
const PROMPTS = 10_000;

/** Bytes of one without code and outputs. */
const OWN_BYTES = 2048;

/** An output with its number from 0 on, as readers get it. */
export type OutputEntry = LogEntry<OutputEvent & { readonly reason?: never }>;

/** One run of a cell: its outputs by number, while it runs and afterwards. */
export class Execution implements OutputSink {
  readonly head: ExecutionHead;
  readonly ended: Promise<void>;
  readonly input: CellInput;
  readonly #log = new EventLog<OutputEvent & { readonly reason?: never }>({ entries: LOG_ENTRIES });
  readonly #outputs = new OutputList();
  readonly #limits = new OutputLimits();
  readonly #journal: JournalFile | undefined;
  readonly #settle: () => void;
  #pending: { name: 'stdout' | 'stderr'; pieces: string[] } | undefined;
  #gathering: NodeJS.Immediate | NodeJS.Timeout | undefined;
  #end: (ExecutionEnd & { readonly at: Date }) | undefined;
  #bytes: number;

  constructor(head: ExecutionHead, journal?: JournalFile) {
    this.head = head;
    this.input = new CellInput(head);
    this.#bytes = OWN_BYTES + sizeOf(head);
    this.#journal = journal;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#settle = resolve;
  }

  get id(): string {
    return this.head.id;
  }

  get isRunning(): boolean {
    return this.#end === undefined;
  }

  /** Undefined while it runs. */
  get end(): ExecutionEnd | undefined {
    return this.#end;
  }

  get endedAt(): Date | undefined {
    return this.#end?.at;
  }

  /** Roughly what it takes in memory and on disk, with its code and outputs. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of the next output. */
  get count(): number {
    return this.#log.last;
  }

  write(event: OutputEvent): void {
    if (this.#end) return;
    if (event.type === 'input_request') {
      if (this.input.count(event) && this.input.counted <= PROMPTS) this.#take(event);
      this.input.ask(event);
      return;
    }
    for (const admitted of this.#limits.admit(event)) this.#take(admitted);
  }

  /** Takes outputs as an earlier daemon wrote them. */
  restore(events: readonly OutputEvent[]): void {
    for (const event of events) {
      if (event.type === 'input_request') this.input.count(event);
      else this.#limits.admit(event);
      this.#append(event);
    }
  }

  finish(end: ExecutionEnd, at = new Date()): void {
    if (this.#end) return;
    this.#flush();
    this.input.end();
    this.#end = { ...end, at };
    this.#journal?.end(end, at);
    this.#log.close();
    this.#settle();
  }

  /** Outputs from that number on, at most `limit`. */
  from(offset: number, limit: number): OutputEntry[] {
    this.#flush();
    return this.#log.after(offset, limit);
  }

  /** Resolves when there is an output of that number, the cell has ended, or a bound ends the wait. */
  moreThan(offset: number, bounds: WaitBounds): Promise<void> {
    return this.#log.moreThan(offset, bounds);
  }

  report(): CellReport {
    this.#flush();
    const { id: executionId, stdin: _, isInteractive: __, ...head } = this.head;
    const outputs = this.#outputs.outputs();
    const end = this.#end;
    const [stdout, stderr] = [streamText(outputs, 'stdout'), streamText(outputs, 'stderr')];
    const raised = outputs.findLast((output) => output.type === 'error')?.evalue ?? '';
    const hint = installHint(stdout) ?? installHint(stderr) ?? installHint(raised);
    const notes = [killedNote(killedOf(end)), hint].filter((note) => typeof note === 'string');
    return {
      ...head,
      warnings: [...head.warnings, ...notes],
      executionId,
      status: end?.status ?? 'running',
      executionCount: end?.executionCount ?? null,
      exitCode: end?.exitCode ?? null,
      signal: end?.signal ?? null,
      oomKilled: end?.oomKilled ?? null,
      oomProcess: end?.oomProcess ?? null,
      outputs,
      stdout,
      stderr,
      waitingForInput: this.input.waiting ?? null,
      endedAt: end?.at ?? null,
    };
  }

  #take(event: OutputEvent): void {
    if (event.type !== 'stream') {
      this.#flush();
      this.#append(event);
      this.#journal?.output(event);
      return;
    }
    if (this.#pending?.name !== event.name) this.#flush();
    this.#pending ??= { name: event.name, pieces: [] };
    this.#pending.pieces.push(event.text);
    this.#gathering ??=
      this.#log.last < SINGLE_ENTRIES
        ? setImmediate(() => this.#flush())
        : setTimeout(() => this.#flush(), GATHER_MS).unref();
  }

  #flush(): void {
    const pending = this.#pending;
    if (this.#gathering) {
      clearImmediate(this.#gathering as NodeJS.Immediate);
      clearTimeout(this.#gathering as NodeJS.Timeout);
      this.#gathering = undefined;
    }
    if (pending === undefined) return;
    this.#pending = undefined;
    const event = { type: 'stream', name: pending.name, text: pending.pieces.join('') } as const;
    this.#append(event);
    this.#journal?.output(event);
  }

  #append(event: OutputEvent): void {
    this.#bytes += sizeOf(event);
    this.#outputs.add(event);
    this.#log.add([event]);
  }
}
