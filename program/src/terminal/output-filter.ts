import { ControlSequence } from './control-sequence.ts';
import { outputCost } from './output-cost.ts';
import type { ScreenSize } from './screen-size.ts';

/** UTF-16 units of a control string (OSC, DCS) that reach the terminal; a longer one is left out. */
export const STRING_MAX = 4096;
/** Intermediate characters of an escape sequence; a sequence with more is left out (ECMA-48 knows none). */
const INTERMEDIATES_MAX = 2;
/** Estimated cells of one piece, which a terminal draws within milliseconds. */
export const PIECE_COST = 200_000;
/** Characters of one piece. */
const PIECE_CHARACTERS = 64 * 1024;

const ESC = 0x1b;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;

type State = 'ground' | 'escape' | 'sequence' | 'string' | 'ignored';

/** Introducers of C1 (ECMA-48 §5.3), as the second character of their two-character form. */
const C1: Readonly<Record<number, string>> = {
  132: 'D',
  133: 'E',
  136: 'H',
  141: 'M',
  144: 'P',
  152: 'X',
  155: '[',
  157: ']',
  158: '^',
  159: '_',
};

/**
 * Bounds terminal output before it reaches a terminal emulator, in time linear in its length: parameters are at most
 * the size of the screen, control strings are short, and no sequence is passed on before it is complete. It takes text
 * in any pieces.
 */
export class OutputFilter {
  #size: ScreenSize;
  #state: State = 'ground';
  readonly #sequence = new ControlSequence();
  /** Characters after ESC, before the final one. */
  #intermediates = '';
  #introducer = '';
  #string = '';
  #isTooLong = false;
  #pieces: string[] = [];
  #piece = '';
  #cost = 0;

  constructor(size: ScreenSize) {
    this.#size = size;
  }

  resize(size: ScreenSize): void {
    this.#size = size;
  }

  /** Forgets a sequence that is not complete. */
  reset(): void {
    this.#state = 'ground';
  }

  /** The output to draw, in pieces that take a bounded time each; between two of them others may draw. */
  pieces(text: string): string[] {
    for (let at = 0; at < text.length; ) {
      if (this.#state === 'ground') at = this.#passText(text, at);
      else at += this.#take(text.charCodeAt(at), text.charAt(at));
    }
    this.#cut();
    return this.#pieces.splice(0);
  }

  /** Passes on text up to the next control sequence; returns the offset after it. */
  #passText(text: string, begin: number): number {
    let at = begin;
    let cost = this.#cost;
    const end = Math.min(text.length, begin + PIECE_CHARACTERS - this.#piece.length);
    for (; at < end && cost < PIECE_COST; at += 1) {
      const code = text.charCodeAt(at);
      if (code === ESC || (code >= 0x80 && code < 0xa0)) break;
      cost += code === 0x0a || code === 0x0b || code === 0x0c ? this.#size.cols : 1;
    }
    if (at > begin) this.#emit(text.slice(begin, at), cost - this.#cost);
    if (at < text.length && at < end && cost < PIECE_COST) at += this.#introduce(text.charCodeAt(at));
    return at;
  }

  /** ESC, or a character of C1. */
  #introduce(code: number): 1 {
    this.#intermediates = '';
    if (code === ESC) this.#state = 'escape';
    else this.#dispatch(C1[code] ?? '');
    return 1;
  }

  /** Takes one character within a sequence; returns how many were used. */
  #take(code: number, character: string): 0 | 1 {
    if (code === CAN || code === SUB) {
      this.#state = 'ground';
      return 1;
    }
    if (code === ESC || (code >= 0x80 && code < 0xa0)) {
      if (this.#state === 'string') this.#endString();
      this.#state = 'ground';
      return this.#introduce(code);
    }
    if (this.#state === 'string') this.#takeOfString(code, character);
    else if (this.#state === 'ignored') return 1;
    else if (code < 0x20) this.#emit(character, this.#size.cols);
    else if (code === 0x7f) return 1;
    else if (code > 0x7f) this.#state = 'ground';
    else if (this.#state === 'escape') this.#takeOfEscape(code, character);
    else if (this.#sequence.take(code, character)) this.#endSequence(character);
    return 1;
  }

  #takeOfEscape(code: number, character: string): void {
    if (code < 0x30) this.#intermediates += this.#intermediates.length <= INTERMEDIATES_MAX ? character : '';
    else if (this.#intermediates === '') this.#dispatch(character);
    else {
      this.#state = 'ground';
      const sequence = `\x1b${this.#intermediates}${character}`;
      if (this.#intermediates.length <= INTERMEDIATES_MAX) this.#emit(sequence, this.#cells);
    }
  }

  /** The second character of an escape sequence; empty: an unknown character of C1. */
  #dispatch(character: string): void {
    this.#state = 'ground';
    if (character === '[') {
      this.#state = 'sequence';
      this.#sequence.begin();
    } else if (character === ']' || character === 'P') {
      this.#state = 'string';
      this.#introducer = character;
      this.#string = '';
      this.#isTooLong = false;
    } else if (character === 'X' || character === '^' || character === '_') {
      this.#state = 'ignored';
    } else if (character !== '' && character !== '\\') {
      this.#emit(`\x1b${character}`, character === 'c' ? this.#cells : this.#size.cols);
    }
  }

  #takeOfString(code: number, character: string): void {
    if (code === BEL && this.#introducer === ']') {
      this.#endString();
      this.#state = 'ground';
    } else if (this.#string.length >= STRING_MAX) this.#isTooLong = true;
    else if (code >= 0x20) this.#string += character;
  }

  #endString(): void {
    if (!this.#isTooLong) this.#emit(`\x1b${this.#introducer}${this.#string}\x1b\\`, this.#string.length);
    this.#string = '';
  }

  #endSequence(final: string): void {
    this.#state = 'ground';
    const sequence = this.#sequence.bounded(final, this.#size);
    if (sequence !== undefined) this.#emit(sequence, outputCost(final, this.#sequence.first, this.#size));
  }

  get #cells(): number {
    return this.#size.cols * this.#size.rows;
  }

  #emit(text: string, cost: number): void {
    this.#piece += text;
    this.#cost += cost;
    if (this.#cost >= PIECE_COST || this.#piece.length >= PIECE_CHARACTERS) this.#cut();
  }

  #cut(): void {
    if (this.#piece !== '') this.#pieces.push(this.#piece);
    this.#piece = '';
    this.#cost = 0;
  }
}
