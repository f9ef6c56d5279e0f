import type { Numbers } from './seed.ts';

const ESC = '\x1b';
/** Introducers of ECMA-48 §5.3 in seven bits; the same in eight bits is one byte higher by 0x40. */
const STRINGS = ['P', 'X', ']', '^', '_'];
/** What ends a string, or should: BEL, ST in both forms, CAN, SUB, another introducer. */
const STRING_ENDS = ['\x07', `${ESC}\\`, '\x9c', '\x18', '\x1a', `${ESC}[`];
const PREFIXES = ['', '<', '=', '>', '?'];
const HUGE = ['2147483647', '2147483648', '4294967295', '9223372036854775807', '9'.repeat(400)];
const PARAMETERS = [...HUGE, '', '0', '-1', '65536;2147483647', '1:2147483647', ';'.repeat(400), '38:2::255:255:255'];
/** UTF-8 that is cut, overlong, a surrogate or beyond Unicode, in latin1; and a cluster that never ends. */
const BROKEN = [
  '\xff\xfe',
  '\xc0\x80',
  '\xed\xa0\x80',
  '\xf4\x90\x80\x80',
  '\xe2\x82',
  '\xf0\x9f\x98',
  '\xcc\x81'.repeat(3_000),
];

const characters = (first: number, last: number): readonly string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCharCode(first + at));

/** Chooses parts of sequences. */
class Choice {
  readonly #next: Numbers;

  constructor(next: Numbers) {
    this.#next = next;
  }

  one(list: readonly string[]): string {
    return list[this.#next(list.length)] ?? '';
  }

  /** In seven or eight bits. */
  introducer(letter: string): string {
    return this.#next(3) === 0 ? String.fromCharCode(letter.charCodeAt(0) + 0x40) : ESC + letter;
  }

  intermediates(): string {
    return characters(1, this.#next(3))
      .map(() => String.fromCharCode(0x20 + this.#next(0x10)))
      .join('');
  }

  string(letter: string): string {
    const text = `${this.one(PARAMETERS)};${this.one(BROKEN)}${'x'.repeat(this.#next(100_000))}`;
    return this.introducer(letter) + text + this.one(STRING_ENDS);
  }
}

/** Final bytes of escape sequences, without those that begin strings, which would hide what follows, and CSI. */
const ESCAPES = characters(0x30, 0x7e).filter((final) => ![...STRINGS, '['].includes(final));

/**
 * Output of terminals from the grammar of ECMA-48 §5.4: in each round a control sequence for every final byte (0x40 to
 * 0x7e), an escape sequence for every final byte (0x30 to 0x7e), and control strings. The last string is ended.
 */
export function controlSequences(next: Numbers, rounds: number): Buffer {
  const choice = new Choice(next);
  const pieces: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const final of characters(0x40, 0x7e)) {
      // The first round has none but the largest parameter of each, which is what a terminal knows.
      const plain = round === 0 ? '2147483647' : undefined;
      const middle = plain ?? choice.one(PREFIXES) + choice.one(PARAMETERS) + choice.intermediates();
      pieces.push('a', choice.introducer('['), middle, final);
    }
    for (const final of ESCAPES) pieces.push(ESC, round === 0 ? '' : choice.intermediates(), final);
    for (const letter of STRINGS) pieces.push(choice.string(letter));
    pieces.push(choice.one(BROKEN), `${ESC}[2147483647b`);
  }
  return Buffer.from(`${pieces.join('')}\x18${ESC}\\\r\n`, 'latin1');
}

/** Lengths of pieces that make up `length` bytes, at most `count`: short ones, which cut sequences, and long ones. */
export function randomCuts(next: Numbers, length: number, count: number): number[] {
  const cuts: number[] = [];
  let left = length;
  while (left > 0) {
    const piece = cuts.length === count - 1 ? left : Math.min(left, 1 + next(next(2) === 0 ? 7 : 4_096));
    cuts.push(piece);
    left -= piece;
  }
  return cuts;
}
