import { byteLength, bytesOf, fromBase64, textOf } from '../core/encoding.ts';

export type OutputStream = 'stdout' | 'stderr';

/** Text that a command wrote. */
export interface OutputText {
  readonly type: 'output';
  readonly stream: OutputStream;
  readonly text: string;
  /** What the text was made of, if it was asked for. */
  readonly bytes?: Uint8Array;
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

interface WireOutput {
  readonly type: OutputStream;
  readonly offset: number;
  readonly data?: string;
  readonly data_base64?: string;
}

/** A line of the stream of a command. */
export type WireLine =
  | { readonly type: 'started'; readonly command_id: string; readonly pid: number | null }
  | WireOutput
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

/** Whether the text of a line may stand for other bytes: those that are no UTF-8 are U+FFFD in it. */
export function isInexact(line: WireLine): boolean {
  return (line.type === 'stdout' || line.type === 'stderr') && (line.data?.includes('\uFFFD') ?? false);
}

/** Turns the lines of streams that continue each other into events, each byte once. */
export class OutputReader {
  readonly #places: Readonly<Record<OutputStream, Place>>;
  /** Whether events have bytes. */
  readonly #hasBytes: boolean;

  constructor(offset: number, stderrOffset: number, hasBytes: boolean) {
    this.#hasBytes = hasBytes;
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
      case 'stderr':
        return this.#output(line);
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

  #output({ type, offset, data, data_base64 }: WireOutput): OutputText | undefined {
    const bytes = data_base64 === undefined ? undefined : fromBase64(data_base64);
    const text = bytes ? textOf(bytes) : (data ?? '');
    const length = bytes?.length ?? (text.includes('\uFFFD') ? undefined : byteLength(text));
    const fresh = this.#places[type].take(offset, text, length);
    if (fresh === '') return undefined;
    const event = { type: 'output', stream: type, text: fresh, offset } as const;
    return this.#hasBytes ? { ...event, bytes: bytes ?? bytesOf(text) } : event;
  }
}
