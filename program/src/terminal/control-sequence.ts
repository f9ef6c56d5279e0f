import type { ScreenSize } from './screen-size.ts';

/** Parameters of a sequence; further ones are left out, as xterm does. */
const PARAMETERS_MAX = 32;
/** Largest parameter that is no count of columns, rows or cells: a mode, a colour, an attribute. */
const VALUE_MAX = 65_535;
const INTERMEDIATES_MAX = 2;

/** Final characters whose parameters count columns or rows (ECMA-48 §8.3, xterm's control sequences). */
const COUNTING = new Set('@ABCDEFGHILMPSTXZ`adefr}~');

/** A control sequence after CSI: parameters, intermediate and final characters (ECMA-48 §5.4). */
export class ControlSequence {
  #prefix = '';
  #intermediates = '';
  /** Separators and values; undefined: the default value. */
  #parameters: { readonly separator: string; value: number | undefined }[] = [];
  #isMalformed = false;
  /** What follows belongs to parameters that are left out. */
  #isFull = false;

  begin(): void {
    this.#prefix = '';
    this.#intermediates = '';
    this.#parameters = [{ separator: '', value: undefined }];
    this.#isMalformed = false;
    this.#isFull = false;
  }

  /** The first parameter; undefined: its default. */
  get first(): number | undefined {
    return this.#parameters[0]?.value;
  }

  /** Takes a character from U+0020 to U+007E; returns whether it is the final one. */
  take(code: number, character: string): boolean {
    if (code >= 0x40) return true;
    if (code < 0x30) {
      if (this.#intermediates.length < INTERMEDIATES_MAX) this.#intermediates += character;
      else this.#isMalformed = true;
    } else if (this.#intermediates !== '') this.#isMalformed = true;
    else if (code <= 0x39) this.#takeDigit(code - 0x30);
    else if (character === ';' || character === ':') this.#takeSeparator(character);
    else this.#takePrefix(character);
    return false;
  }

  /** The sequence with parameters that fit the screen; undefined: it is not well-formed, and a terminal ignores it. */
  bounded(final: string, { cols, rows }: ScreenSize): string | undefined {
    if (this.#isMalformed) return undefined;
    const most = final === 'b' ? cols * rows : COUNTING.has(final) ? Math.max(cols, rows) : VALUE_MAX;
    for (const parameter of this.#parameters) {
      if (parameter.value !== undefined) parameter.value = Math.min(parameter.value, most);
    }
    const parameters = this.#parameters.map(({ separator, value }) => `${separator}${value ?? ''}`).join('');
    return `\x1b[${this.#prefix}${parameters}${this.#intermediates}${final}`;
  }

  #takeDigit(digit: number): void {
    const last = this.#parameters.at(-1);
    // The screen has at most a million cells.
    if (last && !this.#isFull) last.value = Math.min((last.value ?? 0) * 10 + digit, 1e9);
  }

  #takeSeparator(separator: string): void {
    if (this.#parameters.length < PARAMETERS_MAX) this.#parameters.push({ separator, value: undefined });
    else this.#isFull = true;
  }

  #takePrefix(character: string): void {
    const isFirst = this.#prefix === '' && this.#parameters.length === 1 && this.first === undefined;
    if (isFirst) this.#prefix = character;
    else this.#isMalformed = true;
  }
}
