/** The end mark of a command (OSC 133;D of shell integration, with a nonce that no program knows). */
export interface EndMark {
  /** Offset of the first byte of the mark, and of the first one after it. */
  readonly start: number;
  readonly end: number;
  readonly exitCode: number | undefined;
  /** Directory of the shell; undefined if the mark has none. */
  readonly directory: string | undefined;
}

/** Our marks are shorter. */
const MARK_BYTES = 8192;
const BEL = 0x07;

/** Finds the marks of one command in the output of its terminal, also if a mark spans pieces. */
export class MarkFinder {
  readonly #begin: Buffer;
  readonly #ending: RegExp;
  #rest: Buffer = Buffer.alloc(0);
  /** Offset of the first byte of `#rest`. */
  #at: number;
  #outputStart: number | undefined;

  constructor(nonce: string, offset: number) {
    this.#begin = Buffer.from(`\x1b]133;C;svc=${nonce}\x07`);
    this.#ending = new RegExp(`^\\x1b\\]133;D;(-?\\d*);svc=${nonce};([^\\x07]*)\\x07`);
    this.#at = offset;
  }

  /** Offset at which the output of the command begins; undefined before the begin mark. */
  get outputStart(): number | undefined {
    return this.#outputStart;
  }

  /** Takes the next bytes; `offset` shows where bytes before them were dropped. */
  push(offset: number, bytes: Buffer): EndMark | undefined {
    if (offset !== this.#at + this.#rest.length) this.#rest = Buffer.alloc(0);
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#at = offset + bytes.length - all.length;
    let from = 0;
    for (;;) {
      const at = all.indexOf('\x1b]133;', from, 'latin1');
      if (at < 0) break;
      const stop = all.indexOf(BEL, at);
      if (stop < 0 && all.length - at < MARK_BYTES) return this.#keep(all, at);
      const found = stop < 0 ? undefined : this.#read(all.subarray(at, stop + 1), this.#at + at);
      if (found) return found;
      from = at + 1;
    }
    return this.#keep(all, Math.max(from, all.length - 6));
  }

  #read(mark: Buffer, start: number): EndMark | undefined {
    if (mark.equals(this.#begin)) this.#outputStart = start + mark.length;
    const [, code, directory] = this.#ending.exec(mark.toString('utf8')) ?? [];
    if (code === undefined) return undefined;
    return {
      start,
      end: start + mark.length,
      exitCode: code === '' ? undefined : Number(code),
      directory: directory?.startsWith('/') ? directory : undefined,
    };
  }

  #keep(all: Buffer, from: number): undefined {
    this.#rest = Buffer.from(all.subarray(from));
    this.#at += from;
    return undefined;
  }
}
