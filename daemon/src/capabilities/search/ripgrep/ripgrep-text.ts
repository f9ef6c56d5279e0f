import { binaryNotice } from './binary-notice.ts';
import type { Message } from './ripgrep-messages.ts';

/** Bytes of one line; a longer one ends the search. */
const MAX_LINE = 32 * 1024 ** 2;
const NEWLINE = 0x0a;
const NUL = 0;

/**
 * Converts the output of `--null --line-number --with-filename --stats` to messages of its JSON: `path NUL number`,
 * then `:` in a match or `-` around one, then the line. Only this output has the number of searched files. Paths begin
 * with `./`, so a newline at the beginning of a record begins the statistics.
 */
export async function* textMessages(chunks: AsyncIterable<Buffer>): AsyncIterable<Message> {
  const records = new Records();
  const unread = new Unread();
  for await (const chunk of chunks) {
    unread.add(chunk);
    if (chunk.includes(NEWLINE)) {
      const data = unread.take();
      let at = 0;
      for (let next = records.take(data, at); next !== undefined; next = records.take(data, at)) {
        yield* records.messages();
        at = next;
      }
      unread.add(data.subarray(at));
    }
    if (unread.length > MAX_LINE) {
      yield { type: 'oversize', isLast: true };
      return;
    }
  }
  let rest = unread.take();
  while (records.takeNotice(rest)) rest = rest.subarray(records.noticeLength);
  yield* records.messages();
  yield* records.end(false);
  const searched = /^(\d+) files searched$/m.exec(rest.toString('latin1'))?.[1];
  if (searched !== undefined) yield { type: 'summary', filesSearched: Number(searched) };
}

/** An incomplete record, in pieces: joining them for each chunk would be quadratic in its length. */
class Unread {
  #pieces: Buffer[] = [];
  length = 0;

  add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.length += piece.length;
  }

  take(): Buffer {
    const [only, ...others] = this.#pieces;
    const bytes = only !== undefined && others.length === 0 ? only : Buffer.concat(this.#pieces, this.length);
    this.#pieces = [];
    this.length = 0;
    return bytes;
  }
}

class Records {
  noticeLength = 0;
  #path: string | undefined;
  #messages: Message[] = [];

  messages(): readonly Message[] {
    const messages = this.#messages;
    this.#messages = [];
    return messages;
  }

  /** Offset of the next record; undefined if this one is incomplete or the last. */
  take(data: Buffer, at: number): number | undefined {
    if (data[at] === NEWLINE) return undefined;
    const nul = data.indexOf(NUL, at);
    const end = nul < 0 ? -1 : data.indexOf(NEWLINE, nul);
    if (end < 0) return undefined;
    if (this.takeNotice(data.subarray(at, nul))) return at + this.noticeLength;
    const path = data.toString('latin1', at, nul);
    if (path !== this.#path) this.#begin(path);
    const text = nul + 1;
    let sign = text;
    while ((data[sign] ?? 0) >= 0x30 && (data[sign] ?? 0) <= 0x39) sign += 1;
    this.#messages.push({
      type: data[sign] === 0x3a ? 'match' : 'context',
      data: {
        path: { raw: Buffer.from(path, 'latin1') },
        lines: { raw: data.subarray(sign + 1, end + 1) },
        line_number: Number(data.toString('latin1', text, sign)),
        submatches: [],
      },
    });
    return end + 1;
  }

  takeNotice(data: Buffer): boolean {
    const notice = binaryNotice(data);
    if (notice === undefined) return false;
    this.noticeLength = notice.length;
    if (notice.path === this.#path) this.#messages.push(...this.end(true));
    return true;
  }

  end(isBinary: boolean): Message[] {
    if (this.#path === undefined) return [];
    const path = { raw: Buffer.from(this.#path, 'latin1') };
    this.#path = undefined;
    return [{ type: 'end', data: { path, binary_offset: isBinary ? 0 : null } }];
  }

  #begin(path: string): void {
    this.#messages.push(...this.end(false));
    this.#path = path;
    this.#messages.push({ type: 'begin', data: { path: { raw: Buffer.from(path, 'latin1') } } });
  }
}
