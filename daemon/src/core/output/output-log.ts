import { statSync } from 'node:fs';
import { ByteLog } from './byte-log.ts';
import { ORDER_FILE_ENTRIES, OrderLog } from './order-log.ts';
import { listOutputFiles, type OutputFile, type OutputStream, outputPath } from './segment-files.ts';

/** Bytes of one stream that arrived with none of the other between them. */
export interface Run {
  readonly stream: OutputStream;
  readonly start: number;
  readonly end: number;
}

/** End offsets of both streams. */
export interface Ends {
  readonly stdout: number;
  readonly stderr: number;
}

/** The output of a process: both streams, and the order of their arrival. */
export class OutputLog {
  readonly id: string;
  readonly stdout: ByteLog;
  readonly stderr: ByteLog;
  readonly order: OrderLog;
  #reportTrim: ((log: ByteLog) => void) | undefined;

  /** `of`: a terminal has one stream, which is `stdout` here. */
  constructor(directory: string, id: string, of: 'pipes' | 'terminal' = 'pipes') {
    this.id = id;
    this.stdout = new ByteLog(directory, id, of === 'terminal' ? 'pty' : 'stdout');
    this.stderr = new ByteLog(directory, id, 'stderr');
    if (of === 'terminal') this.stderr.seal();
    this.order = new OrderLog(directory, id);
  }

  /** The sealed log of a process whose output is not kept. */
  static empty(directory: string, id: string, of: 'pipes' | 'terminal' = 'pipes'): OutputLog {
    const log = new OutputLog(directory, id, of);
    log.seal();
    return log;
  }

  get retainedBytes(): number {
    return this.stdout.retainedBytes + this.stderr.retainedBytes;
  }

  /**
   * The order in which the bytes between these offsets arrived; together the runs cover both ranges exactly.
   * Where the order is forgotten or was never written, stdout comes before stderr.
   * @param since `order.count` when the streams ended at the first offsets: less has to be read than from 0 on
   */
  runs(stdoutFrom: number, stdoutTo: number, stderrFrom: number, stderrTo: number, since = 0): Run[] {
    const runs = new RunList({ stdout: stdoutFrom, stderr: stderrFrom }, { stdout: stdoutTo, stderr: stderrTo });
    if (this.order.count === 0) return runs.finish();
    const { firstFile, lastFile } = this.order;
    const first = Math.max(firstFile, Math.floor(since / ORDER_FILE_ENTRIES));
    let forgotten = since < firstFile * ORDER_FILE_ENTRIES;
    for (let file = first; file <= lastFile && !runs.complete; file++) {
      const skip = Math.max(0, since - file * ORDER_FILE_ENTRIES);
      const entries = this.order.entries(file, skip);
      // The starts of the first two runs are unknown after a forgotten part, so that both begin at its end.
      if (forgotten && entries[0]?.stream === 'stderr') entries.splice(0, 2, ...entries.slice(0, 2).reverse());
      for (const { stream, end } of entries) runs.upTo(stream, end);
      forgotten = entries.length < ORDER_FILE_ENTRIES - skip;
    }
    return runs.finish();
  }

  /** Drops the oldest segments, but none being written, until at most `bytes` are kept; answers the dropped bytes. */
  trimTo(bytes: number): number {
    let freed = 0;
    while (this.retainedBytes > bytes) {
      const larger = this.stdout.retainedBytes >= this.stderr.retainedBytes ? this.stdout : this.stderr;
      const other = larger === this.stdout ? this.stderr : this.stdout;
      const dropped = larger.dropOldest() || other.dropOldest();
      if (dropped === 0) break;
      freed += dropped;
    }
    if (freed > 0) for (const log of [this.stdout, this.stderr]) this.#reportTrim?.(log);
    return freed;
  }

  /** Calls `report` for each stream when `trimTo` has dropped segments, so that its writer does not count on them. */
  reportTrims(report: (log: ByteLog) => void): void {
    this.#reportTrim = report;
  }

  /** Unlinks all its files; later output is counted and not kept. */
  async remove(): Promise<void> {
    await Promise.all([this.stdout.remove(), this.stderr.remove(), this.order.remove()]);
  }

  /** The streams have ended, at the offsets of `ends` if the files have less. */
  seal(ends: Ends = { stdout: 0, stderr: 0 }): void {
    this.stdout.skip(ends.stdout);
    this.stderr.skip(ends.stderr);
    this.stdout.seal();
    this.stderr.seal();
  }
}

/**
 * The output of earlier processes by the files of a directory, sealed. A stream ends with its last segment, or at the
 * `recorded` offset where that is more; a recorded id without files has an empty log. Finds only ids that `owns`
 * accepts, and the recorded ones.
 */
export function findOutputLogs(
  directory: string,
  recorded: ReadonlyMap<string, Ends> = new Map(),
  owns: (id: string) => boolean = () => true,
): Map<string, OutputLog> {
  const logs = new Map<string, OutputLog>();
  const logOf = (id: string, of?: 'terminal'): OutputLog => {
    const known = logs.get(id) ?? new OutputLog(directory, id, of);
    logs.set(id, known);
    return known;
  };
  const files = listOutputFiles(directory).filter(({ id }) => owns(id));
  for (const file of files.sort((a, b) => a.number - b.number)) {
    restore(logOf(file.id, file.kind === 'pty' ? 'terminal' : undefined), file, sizeOf(directory, file));
  }
  for (const id of recorded.keys()) logOf(id);
  for (const [id, log] of logs) log.seal(recorded.get(id));
  return logs;
}

function restore(log: OutputLog, { kind, number }: OutputFile, size: number): void {
  if (kind === 'order') log.order.advance(number * ORDER_FILE_ENTRIES + Math.floor(size / 8));
  if (kind === 'order') return;
  const stream = kind === 'stderr' ? log.stderr : log.stdout;
  stream.begin(number);
  stream.advance(number + size);
}

/** In bytes; 0 if it is gone. */
export function sizeOf(directory: string, { id, kind, number }: OutputFile): number {
  return statSync(outputPath(directory, id, kind, number), { throwIfNoEntry: false })?.size ?? 0;
}

/** Collects runs within two ranges, in the order in which they are given. */
class RunList {
  readonly #runs: Run[] = [];
  readonly #at: Record<OutputStream, number>;
  readonly #to: Ends;

  constructor(from: Ends, to: Ends) {
    this.#at = { ...from };
    this.#to = to;
  }

  get complete(): boolean {
    return this.#at.stdout >= this.#to.stdout && this.#at.stderr >= this.#to.stderr;
  }

  /** The stream wrote up to `end`. */
  upTo(stream: OutputStream, end: number): void {
    const start = this.#at[stream];
    const upTo = Math.min(end, this.#to[stream]);
    if (upTo <= start) return;
    this.#at[stream] = upTo;
    const last = this.#runs.at(-1);
    if (last?.stream === stream) this.#runs[this.#runs.length - 1] = { stream, start: last.start, end: upTo };
    else this.#runs.push({ stream, start, end: upTo });
  }

  finish(): Run[] {
    this.upTo('stdout', this.#to.stdout);
    this.upTo('stderr', this.#to.stderr);
    return this.#runs;
  }
}
