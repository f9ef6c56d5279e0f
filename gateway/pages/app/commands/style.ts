/** How characters are drawn, as Select Graphic Rendition sets it (ECMA-48 §8.3.117). */
export interface Style {
  /** Names of classes, separated by blanks. */
  readonly classes: string;
  /** A colour outside of the sixteen that have classes, in the notation of CSS. */
  readonly color?: string | undefined;
  readonly background?: string | undefined;
}

/** Consecutive characters of one style; undefined: the plain one. */
export interface Segment {
  readonly text: string;
  readonly style: Style | undefined;
}

const FLAGS = ['bold', 'faint', 'italic', 'underline', 'inverse', 'struck'];
/** Bits of the flags that a code sets or unsets. */
const SET: Readonly<Record<number, number>> = { 1: 1, 2: 2, 3: 4, 4: 8, 7: 16, 9: 32 };
const UNSET: Readonly<Record<number, number>> = { 0: 63, 22: 3, 23: 4, 24: 8, 27: 16, 29: 32 };
const LOOKS_MAX = 1000;

/** The state that sequences of Select Graphic Rendition change. */
export class Pen {
  #flags = 0;
  #ink = '';
  #ground = '';
  #style: Style | undefined;
  /** One object for one look, so that neighbours are compared by it. */
  readonly #looks = new Map<string, Style | undefined>();

  get style(): Style | undefined {
    return this.#style;
  }

  /** @param parameters of the sequence, as `1;38;5;208`; an empty one is 0. */
  select(parameters: string): void {
    const codes = parameters.split(/[;:]/, 64).map(Number);
    for (let at = 0; at < codes.length; at += 1) at += this.#apply(codes, at);
    const key = `${this.#flags}|${this.#ink}|${this.#ground}`;
    if (!this.#looks.has(key)) {
      if (this.#looks.size >= LOOKS_MAX) this.#looks.clear();
      this.#looks.set(key, styleOf(this.#flags, this.#ink, this.#ground));
    }
    this.#style = this.#looks.get(key);
  }

  /** @returns how many further parameters belong to the one at that index */
  #apply(codes: readonly number[], at: number): number {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const found = extendedColor(codes.slice(at + 1, at + 5));
      if (found) this.#color(code === 38, found.color);
      return found?.used ?? 1;
    }
    this.#flags = (this.#flags | (SET[code] ?? 0)) & ~(UNSET[code] ?? 0);
    if (code === 0 || code === 39) this.#ink = '';
    if (code === 0 || code === 49) this.#ground = '';
    const named = namedColor(code);
    if (named) this.#color(named.isInk, named.color);
    return 0;
  }

  #color(isInk: boolean, color: string): void {
    if (isInk) this.#ink = color;
    else this.#ground = color;
  }
}

/** The sixteen colours have numbers from 0: 30 to 37 and 90 to 97, and 10 more for the background. */
function namedColor(code: number): { isInk: boolean; color: string } | undefined {
  const [tens, index] = [Math.floor(code / 10), code % 10];
  if (![3, 4, 9, 10].includes(tens) || index > 7) return undefined;
  return { isInk: tens === 3 || tens === 9, color: `${tens < 9 ? index : index + 8}` };
}

/** The colour after 38 or 48: `5;n` of the table of 256, or `2;r;g;b`. */
function extendedColor([kind, ...rest]: readonly number[]): { color: string; used: number } | undefined {
  if (kind === 5) return { color: tableColor(rest[0] ?? 0), used: 2 };
  if (kind === 2) return { color: rgb(rest.slice(0, 3)), used: 4 };
  return undefined;
}

/** 16 to 231: a cube of six steps each; 232 to 255: shades of grey. */
function tableColor(index: number): string {
  if (!(index >= 0 && index <= 255)) return '';
  if (index < 16) return `${index}`;
  if (index >= 232) return rgb(Array(3).fill(8 + (index - 232) * 10));
  const step = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  const at = index - 16;
  return rgb([step(Math.floor(at / 36)), step(Math.floor(at / 6) % 6), step(at % 6)]);
}

function rgb(values: readonly number[]): string {
  const bytes = [0, 1, 2].map((index) => Math.min(255, Math.max(0, Math.trunc(values[index] ?? 0) || 0)));
  return `rgb(${bytes.join(' ')})`;
}

function styleOf(flags: number, ink: string, ground: string): Style | undefined {
  const names = FLAGS.filter((_name, index) => flags & (1 << index));
  if (isNumber(ink)) names.push(`ink-${ink}`);
  if (isNumber(ground)) names.push(`on-${ground}`);
  const color = isNumber(ink) || ink === '' ? undefined : ink;
  const background = isNumber(ground) || ground === '' ? undefined : ground;
  if (names.length === 0 && color === undefined && background === undefined) return undefined;
  return { classes: names.join(' '), color, background };
}

function isNumber(color: string): boolean {
  return /^\d+$/.test(color);
}
