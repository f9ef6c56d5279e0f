import { byteLength, fromBase64, textOf } from '../core/encoding.ts';

export type OutputStream = 'stdout' | 'stderr';

/** Text that a command wrote. */
export interface OutputText {
  readonly type: 'output';
  readonly stream: OutputStream;
  readonly text: string;
  /** Bytes of the stream before this text. */
  readonly offset: number;
}

/** Bytes that the service did not keep until they were read. */
export interface OutputLost {
  readonly type: 'lost';
  readonly stream: OutputStream;
  /** Of the oldest byte that is kept. */
  readonly offset: number;
}

export type CommandStatus = 'completed' | 'timed_out' | 'killed' | 'failed' | 'lost';

export interface CommandExit {
  readonly type: 'exit';
  readonly status: CommandStatus;
  /** -1 if a signal ended it; null if its end was not observed. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Whether the memory limit killed it; null if that is not known. */
  readonly oomKilled: boolean | null;
  readonly message: string | null;
}

export type OutputEvent = OutputText | OutputLost | CommandExit;

/** A line of the stream of a command. */
export type WireLine =
  | { readonly type: 'started'; readonly command_id: string; readonly pid: number | null }
  | { readonly type: OutputStream; readonly offset: number; readonly data?: string; readonly data_base64?: string }
  | { readonly type: 'dropped'; readonly stream: OutputStream; readonly first_offset: number }
  | { readonly type: 'heartbeat' }
  | {
      readonly type: 'exit';
      readonly status: CommandStatus;
      readonly exit_code: number | null;
      readonly signal: string | null;
      readonly oom_killed: boolean | null;
      readonly message?: string;
    };

/**
 * The place in one stream up to which its text was delivered. The number of bytes of a text with U+FFFD is not known:
 * then it is the beginning of that text and the number of its characters.
 */
class Place {
  offset: number;
  #delivered = 0;
  #skip = 0;

  constructor(offset: number) {
    this.offset = offset;
  }

  /** The stream begins again at `offset`. */
  resume(): void {
    this.#skip = this.#delivered;
  }

  lose(firstOffset: number): void {
    this.offset = firstOffset;
    this.#delivered = 0;
    this.#skip = 0;
  }

  /** Returns the text that was not delivered before. */
  take(offset: number, text: string, bytes: number | undefined): string {
    const fresh = text.slice(this.#skip);
    const isPartial = this.#skip > text.length;
    this.#skip -= Math.min(this.#skip, text.length);
    if (isPartial) return '';
    this.#delivered = bytes === undefined ? text.length : 0;
    this.offset = offset + (bytes ?? 0);
    return fresh;
  }
}

/** Turns the lines of streams that continue each other into events, each byte once. */
export class OutputReader {
  readonly #places: Readonly<Record<OutputStream, Place>>;

  constructor(offset: number, stderrOffset: number) {
    this.#places = { stdout: new Place(offset), stderr: new Place(stderrOffset) };
  }

  /** Where the next stream has to begin. */
  resume(): { readonly offset: number; readonly stderr_offset: number } {
    this.#places.stdout.resume();
    this.#places.stderr.resume();
    return { offset: this.#places.stdout.offset, stderr_offset: this.#places.stderr.offset };
  }

  read(line: WireLine): OutputEvent | undefined {
    switch (line.type) {
      case 'stdout':
      case 'stderr': {
        const bytes = line.data_base64 === undefined ? undefined : fromBase64(line.data_base64);
        const text = bytes ? textOf(bytes) : (line.data ?? '');
        const length = bytes?.length ?? (text.includes('\uFFFD') ? undefined : byteLength(text));
        const fresh = this.#places[line.type].take(line.offset, text, length);
        return fresh === '' ? undefined : { type: 'output', stream: line.type, text: fresh, offset: line.offset };
      }
      case 'dropped':
        if (line.stream !== 'stdout' && line.stream !== 'stderr') return undefined;
        this.#places[line.stream].lose(line.first_offset);
        return { type: 'lost', stream: line.stream, offset: line.first_offset };
      case 'exit':
        return {
          type: 'exit',
          status: line.status,
          exitCode: line.exit_code,
          signal: line.signal,
          oomKilled: line.oom_killed,
          message: line.message ?? null,
        };
      default:
        return undefined;
    }
  }
}
