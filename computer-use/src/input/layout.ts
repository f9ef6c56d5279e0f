import { getKeyboardMapping } from '../x11/keyboard-mapping.ts';
import type { XSession } from '../x11/x-session.ts';
import { characterOf, type KeyMeaning } from './key-symbols.ts';

/** How a key is pressed: its keycode, and the modifiers that select its symbol. */
export interface Stroke {
  readonly keycode: number;
  readonly shift: boolean;
  /** AltGr. */
  readonly level3: boolean;
  /** Whether Caps Lock exchanges its two symbols. */
  readonly isLetter: boolean;
}

const SHIFT_L = 0xffe1;
const LEVEL3_SHIFT = 0xfe03;
/** Columns of a keyboard mapping of one group, with the modifiers that select them (XKB protocol, §12.4). */
const COLUMNS = [
  { column: 0, shift: false, level3: false },
  { column: 1, shift: true, level3: false },
  { column: 4, shift: false, level3: true },
  { column: 5, shift: true, level3: true },
] as const;

/** What the keyboard of the display can type. */
export class Layout {
  readonly #characters = new Map<string, Stroke>();
  readonly #keys = new Map<number, Stroke>();

  /** @param rows keysyms of each keycode from `first` on */
  constructor(first: number, rows: readonly (readonly number[])[]) {
    for (const { column, ...modifiers } of COLUMNS) {
      for (const [index, row] of rows.entries()) {
        const keysym = row[column] ?? 0;
        if (keysym !== 0) this.#add(keysym, { keycode: first + index, ...modifiers, isLetter: isLetter(row) });
      }
    }
    if (!this.#keys.has(LEVEL3_SHIFT)) this.#withoutLevel3();
  }

  static async read(session: XSession): Promise<Layout> {
    const { min_keycode: first, max_keycode: last } = session.display;
    const read = (done: (error: Error | null | undefined, rows: number[][]) => boolean): void =>
      getKeyboardMapping(session.client, [first, last - first + 1], done);
    return new Layout(first, await session.query(read));
  }

  get shift(): number | undefined {
    return this.#keys.get(SHIFT_L)?.keycode;
  }

  get level3(): number | undefined {
    return this.#keys.get(LEVEL3_SHIFT)?.keycode;
  }

  /** The stroke of a key; undefined if the layout has none. */
  strokeOf(meaning: KeyMeaning): Stroke | undefined {
    return 'character' in meaning ? this.#characters.get(meaning.character) : this.#keys.get(meaning.keysym);
  }

  /** Of several ways to the same symbol the one with the fewest modifiers is kept: columns come in that order. */
  #add(keysym: number, stroke: Stroke): void {
    const character = characterOf(keysym);
    if (character !== undefined && !this.#characters.has(character)) this.#characters.set(character, stroke);
    if (!this.#keys.has(keysym)) this.#keys.set(keysym, stroke);
  }

  #withoutLevel3(): void {
    for (const map of [this.#characters, this.#keys]) {
      for (const [key, { level3 }] of map as Map<unknown, Stroke>) {
        if (level3) (map as Map<unknown, Stroke>).delete(key);
      }
    }
  }
}

function isLetter(row: readonly number[]): boolean {
  const [plain, shifted] = [characterOf(row[0] ?? 0), characterOf(row[1] ?? 0)];
  return plain !== undefined && plain !== shifted && plain.toUpperCase() === shifted;
}
