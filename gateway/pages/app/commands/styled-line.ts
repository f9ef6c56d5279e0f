import type { Segment, Style } from './style.ts';

/** Changes of style in one line; a program that makes more writes the rest in the last style. */
const SEGMENTS_MAX = 64;

type Growing = { -readonly [K in keyof Segment]: Segment[K] };

/** A line of a terminal: text is written at the column, over what is there. */
export class StyledLine {
  #segments: Growing[] = [];
  #length = 0;
  #column = 0;

  get length(): number {
    return this.#length;
  }

  get segments(): readonly Segment[] {
    return this.#segments;
  }

  write(text: string, style: Style | undefined): void {
    if (this.#column === this.#length) {
      append(this.#segments, { text, style });
      this.#column += text.length;
      this.#length = this.#column;
      return;
    }
    const rest = this.#cutAt(this.#column + text.length);
    this.#segments = joined([...this.#before(this.#column), { text, style }, ...rest]);
    this.#column += text.length;
    this.#length = Math.max(this.#length, this.#column);
  }

  /** To the first column: carriage return. */
  begin(): void {
    this.#column = 0;
  }

  /** One column to the left: backspace. */
  back(): void {
    this.#column = Math.max(0, this.#column - 1);
  }

  /** Erase in Line (ECMA-48 §8.3.41). @param kind 0: from the column on, 1: up to it, 2: all */
  erase(kind: number): void {
    if (kind === 0) this.#keep(this.#before(this.#column));
    if (kind === 2) this.#keep([]);
    if (kind === 1) {
      const rest = this.#cutAt(this.#column + 1);
      const blank = ' '.repeat(Math.min(this.#length, this.#column + 1));
      this.#keep(joined([{ text: blank, style: undefined }, ...rest]));
    }
    // What is written next stands at its column.
    if (this.#length < this.#column) this.#pad();
  }

  /** Takes the first characters away. */
  take(count: number): Segment[] {
    const taken = this.#before(count);
    this.#segments = this.#cutAt(count);
    this.#length -= count;
    this.#column = Math.max(0, this.#column - count);
    return taken;
  }

  #keep(segments: Growing[]): void {
    this.#segments = segments;
    this.#length = segments.reduce((sum, { text }) => sum + text.length, 0);
  }

  #pad(): void {
    this.#keep(joined([...this.#segments, { text: ' '.repeat(this.#column - this.#length), style: undefined }]));
  }

  #before(column: number): Growing[] {
    const found: Growing[] = [];
    let left = column;
    for (const { text, style } of this.#segments) {
      if (left <= 0) break;
      found.push({ text: text.slice(0, left), style });
      left -= text.length;
    }
    return found;
  }

  #cutAt(column: number): Growing[] {
    const found: Growing[] = [];
    let at = 0;
    for (const { text, style } of this.#segments) {
      if (at + text.length > column) found.push({ text: text.slice(Math.max(0, column - at)), style });
      at += text.length;
    }
    return found;
  }
}

/** Neighbours of one style become one segment, and so do those beyond the bound. */
function joined(segments: readonly Segment[]): Growing[] {
  const all: Growing[] = [];
  for (const segment of segments) append(all, segment);
  return all;
}

function append(all: Growing[], { text, style }: Segment): void {
  const last = all.at(-1);
  if (last && (last.style === style || all.length >= SEGMENTS_MAX)) last.text += text;
  else if (text !== '') all.push({ text, style });
}
