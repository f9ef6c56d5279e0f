import * as crypto from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';

/** Stands at both ends of a mark; text seldom has it. */
const SEPARATOR = 0x1e;
/** Characters of a mark after its name: the exit code and what ends it. */
const CODE_BYTES = 16;
/** The longest mark: both separators, the name of 32 characters, a space and an exit code. */
export const MARK_BYTES = 2 + 32 + 1 + CODE_BYTES;

/**
 * What an interpreter writes to both streams when a cell has ended: `RS name SP code RS`. The name is derived from a
 * secret of the interpreter, so that the output of a cell contains it by no accident.
 */
export function markName(token: string, cellId: string): string {
  return `${tagOf(token)}${hash(`${token} ${cellId}`)}`;
}

/** Begins the names of all marks of an interpreter. */
function tagOf(token: string): string {
  return hash(token);
}

function hash(text: string): string {
  return crypto.hash('sha256', text, 'hex').slice(0, 16);
}

/** The bytes of one stream up to a mark, as text. */
export class MarkedText {
  readonly #begin: Buffer;
  readonly #decoder = new StringDecoder('utf8');
  #held: Buffer = Buffer.alloc(0);
  #code: number | undefined;
  #rest = 0;

  constructor(name: string) {
    this.#begin = Buffer.from(`\x1e${name} `);
  }

  /** The exit code of the mark, once it was seen. */
  get code(): number | undefined {
    return this.#code;
  }

  /** Bytes of the last `take` after the mark. */
  get rest(): number {
    return this.#rest;
  }

  /** Whether the bytes are a mark alone, and none were held back before them. */
  isMark(bytes: Buffer): boolean {
    if (this.#held.length > 0 || bytes.indexOf(this.#begin) !== 0) return false;
    return bytes.indexOf(SEPARATOR, this.#begin.length) === bytes.length - 1;
  }

  /** The text that is certain to stand before the mark. The bytes may be overwritten afterwards. */
  take(bytes: Buffer): string {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const at = all.indexOf(this.#begin);
    if (at < 0) return this.#hold(all, beginsAt(all, this.#begin));
    const from = at + this.#begin.length;
    const close = all.indexOf(SEPARATOR, from);
    if (close < 0 && all.length - from < CODE_BYTES) return this.#hold(all, at);
    const end = close < 0 ? from : close;
    this.#code = Number(all.toString('latin1', from, end)) || 0;
    this.#rest = all.length - Math.min(end + 1, all.length);
    return this.#decoder.end(all.subarray(0, at));
  }

  /** The stream has ended, or bytes of it were dropped: no mark begins in what was held back. */
  flush(): string {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return this.#decoder.end(held);
  }

  #hold(all: Buffer, at: number): string {
    this.#held = Buffer.from(all.subarray(at));
    return this.#decoder.write(all.subarray(0, at));
  }
}

/** Where the mark may begin that the end of the bytes cuts off; their length where it does not. */
function beginsAt(all: Buffer, begin: Buffer): number {
  const from = Math.max(0, all.length - begin.length + 1);
  for (let at = all.indexOf(SEPARATOR, from); at >= 0; at = all.indexOf(SEPARATOR, at + 1)) {
    if (begin.subarray(0, all.length - at).equals(all.subarray(at))) return at;
  }
  return all.length;
}

/** The offset in the bytes after the last whole mark of the interpreter that is not of `name`; undefined without one. */
export function afterLastMark(bytes: Buffer, token: string, name: string): number | undefined {
  const tag = Buffer.from(`\x1e${tagOf(token)}`);
  for (let at = bytes.lastIndexOf(tag); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(tag, at - 1)) {
    const close = bytes.indexOf(SEPARATOR, at + 1);
    if (close >= 0 && bytes.toString('latin1', at + 1, at + 1 + name.length) !== name) return close + 1;
  }
  return undefined;
}
