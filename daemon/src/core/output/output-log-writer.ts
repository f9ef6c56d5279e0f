import { ByteLogWriter } from './byte-log-writer.ts';
import { OrderLogWriter } from './order-log.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './segment-files.ts';

/** Writes the output of a process. It never throws; bytes that the disk refuses are counted and dropped. */
export class OutputLogWriter {
  readonly #log: OutputLog;
  readonly #writers: Readonly<Record<OutputStream, ByteLogWriter>>;
  readonly #order: OrderLogWriter;

  /** `cap`: bytes of each stream that are kept at most. */
  constructor(log: OutputLog, cap: number) {
    this.#log = log;
    this.#writers = { stdout: new ByteLogWriter(log.stdout, cap), stderr: new ByteLogWriter(log.stderr, cap) };
    this.#order = new OrderLogWriter(log.order);
  }

  write(stream: OutputStream, bytes: Uint8Array): void {
    this.#order.note(stream, (spoken) => this.#log[spoken].end);
    this.#writers[stream].write(bytes);
  }

  /** The stream has ended. */
  close(stream: OutputStream): void {
    this.#writers[stream].close();
    if (this.#log.stdout.sealed && this.#log.stderr.sealed) this.#order.close();
  }
}
