import { Pen, type Segment } from './style.ts';
import { StyledLine } from './styled-line.ts';

export type Stream = 'stdout' | 'stderr' | 'note';

/** Consecutive lines of one stream. */
export interface Piece {
  readonly stream: Stream;
  /** With the newlines between the lines. */
  readonly segments: readonly Segment[];
  readonly lines: number;
}

/** A longer line is broken: a browser lays a line out as a whole. */
const LINE_MAX = 4096;
const [BELL, BACKSPACE, NEWLINE, RETURN, ESCAPE] = [7, 8, 10, 13, 27];
const BREAK: Segment = { text: '\n', style: undefined };
/** What begins a string of control: OSC, DCS, APC, PM. */
const STRINGS = new Set([']', 'P', '_', '^']);

/**
 * Turns the output of a command into lines as a terminal shows them: colours and other styles of ECMA-48, and the last
 * state of a line that carriage returns overwrite, as a progress bar does. Other escape sequences are left out.
 */
export class OutputText {
  #finished: { stream: Stream; segments: readonly Segment[] }[] = [];
  #line = new StyledLine();
  readonly #pen = new Pen();
  #stream: Stream = 'stdout';
  /** Of a sequence that the last text has cut. */
  #cut = '';

  push(stream: Stream, text: string): void {
    if (stream !== this.#stream) {
      if (this.#line.length > 0) this.#end();
      this.#stream = stream;
    }
    const all = this.#cut + text;
    this.#cut = '';
    let from = 0;
    while (from < all.length) {
      const at = nextControl(all, from);
      this.#add(all.slice(from, at));
      const next = this.#control(all, at);
      if (next === undefined) return;
      from = next;
    }
  }

  /** The lines that have ended since the last call, the newest `most`, and how many older ones were left out. */
  take(most: number): { pieces: readonly Piece[]; dropped: number } {
    const dropped = Math.max(0, this.#finished.length - most);
    const pieces: { stream: Stream; segments: Segment[]; lines: number }[] = [];
    for (const { stream, segments } of this.#finished.slice(dropped)) {
      const last = pieces.at(-1);
      if (last?.stream === stream) {
        last.segments.push(BREAK, ...segments);
        last.lines += 1;
      } else pieces.push({ stream, segments: [...segments], lines: 1 });
    }
    this.#finished = [];
    return { pieces, dropped };
  }

  /** The line that has not ended. */
  get open(): { readonly stream: Stream; readonly segments: readonly Segment[] } {
    return { stream: this.#stream, segments: this.#line.segments };
  }

  /** @returns where the text continues; undefined if it ends within a sequence */
  #control(text: string, at: number): number | undefined {
    const code = text.charCodeAt(at);
    if (code === ESCAPE) {
      const end = endOfSequence(text, at);
      // Text that begins like a sequence and continues for long is not one.
      if (end === undefined && text.length - at < LINE_MAX) this.#cut = text.slice(at);
      if (end !== undefined && text[at + 1] === '[') this.#sequence(text.slice(at + 2, end));
      return end;
    }
    if (code === NEWLINE) this.#end();
    if (code === RETURN) this.#line.begin();
    if (code === BACKSPACE) this.#line.back();
    return at + 1;
  }

  /** @param sequence parameters and final byte of a control sequence */
  #sequence(sequence: string): void {
    const [final, parameters] = [sequence.at(-1), sequence.slice(0, -1)];
    if (final === 'm') this.#pen.select(parameters);
    if (final === 'K') this.#line.erase(Number(parameters));
  }

  #add(text: string): void {
    // In parts: a line is never much longer than its bound.
    for (let from = 0; from < text.length; from += LINE_MAX) {
      this.#line.write(text.slice(from, from + LINE_MAX), this.#pen.style);
      while (this.#line.length > LINE_MAX) {
        this.#finished.push({ stream: this.#stream, segments: this.#line.take(LINE_MAX) });
      }
    }
  }

  #end(): void {
    this.#finished.push({ stream: this.#stream, segments: this.#line.segments });
    this.#line = new StyledLine();
  }
}

function nextControl(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE || code === RETURN || code === ESCAPE || code === BACKSPACE) return at;
  }
  return text.length;
}

/** The index after an escape sequence (ECMA-48 §5.4 and §5.6); undefined if the text ends within it. */
function endOfSequence(text: string, start: number): number | undefined {
  const kind = text[start + 1];
  if (kind === undefined) return undefined;
  if (kind === '[') return endOfControl(text, start + 2);
  return STRINGS.has(kind) ? endOfString(text, start + 2) : start + 2;
}

function endOfControl(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x40 && code <= 0x7e) return at + 1;
    // A control character ends what is not complete.
    if (code < 0x20) return at;
  }
  return undefined;
}

function endOfString(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BELL) return at + 1;
    if (code === ESCAPE) return at + 1 < text.length ? at + 2 : undefined;
  }
  return undefined;
}
