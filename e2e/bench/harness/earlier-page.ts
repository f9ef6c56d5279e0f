const MACHINE = /^- \*\*([A-Z])\*\*: (.+)$/gm;
const FIGURES = /^\| (?!benchmark )(?=[a-z])(.+) \|$/gm;
const DURATION = /^- ([a-z][a-z-]*): (\d+) s$/gm;

/** What a page of figures says. */
export interface EarlierPage {
  /** Letters of machines with their descriptions. */
  readonly machines: ReadonlyMap<string, string>;
  /** The cells of each row. */
  readonly rows: readonly (readonly string[])[];
  /** Whole seconds of each benchmark that has a duration. */
  readonly seconds: ReadonlyMap<string, number>;
}

/** Reads a page that `figuresPage` wrote; rows without ranges are rows too. */
export function readPage(page: string): EarlierPage {
  return {
    machines: new Map([...page.matchAll(MACHINE)].map(([, letter = '', text = '']) => [letter, text])),
    rows: [...page.matchAll(FIGURES)].map(([, cells = '']) => cells.split(' | ')),
    seconds: new Map([...page.matchAll(DURATION)].map(([, name = '', seconds]) => [name, Number(seconds)])),
  };
}
