/**
 * Ranges of code points, in base 36: `distance.more`, where the distance is from the end of the range before, the first
 * from U+00A0, and `more` is the number of further code points. Unicode 17: EastAsianWidth W and F; Mn, Me, Cf, Zl, Zp
 * and the vowels and finals of Hangul.
 */
const WIDE =
  '38g.2n 3i3.1 e.1 5b.3 4 3 ei.1 m.1 r.7 h.b 18 b.5 4 e 9.1 i.1 6.1 9 6 m 8.1 2 5 3 8 5.1 t 10 2 5.2 2 ' +
  '1q.2 p f nw.1 1g 5 mj.p 2.2g d.5x r.1l 5.g 3.2d 5.2s 6.16 2.2l 2.2d a.1b 2.13 9.mkc 4.1i wq.s hw.8mb ' +
  '6l9.e7 lt.9 n.y 2.i 2.3 46.2n 3k.6 m4a.3 d.6 a.5p6 11.x 2o.36 e.pd f.1e 5y6.3 2.6 2.1 2.88 a u.2 3 f.4 ' +
  '8.az 6bp.2e a.m 5n2 5n 5b 3.9 k 2a.2 e.17 5.8 8.1 f.5 4b.w d.8 2.1x 2.l d.16 5.4 d.g 4 4.1y 2 2.56 3.1q ' +
  'e.3 2.n j r.1 e 2f.2c 1d.1x 7 4.2 3.4 3.3 c.1 8.8 66 6.b 5 7w.1a 2.9 2.54 35.c 4.1y 2 4.h 2.c 4.b ' +
  'zq.1ekd 3.1ekd';
const WITHOUT_WIDTH =
  'gw.33 7o.6 7c.18 2 2.1 2.1 2 21.a 2 1b.k h 2u.6 3.5 3.1 2.3 10 v.q 2k.a 1n.8 a p.3 2.8 2.2 2.4 18.2 1o.8 ' +
  '17.n 2.v 1k 2 5.7 5 4.6 b.1 u 1n 5.3 9 l.1 r 3.1 1m 5.1 5.1 3.2 4 v.1 4 c.1 1m 5.4 2.1 5 l.1 n.5 2 1n 3 ' +
  '2.3 9 8.1 c.1 v 1q d 1f 4 1k 2.2 6.2 2.3 8.1 c.1 u 1n 3 7 6.1 l.1 t.1 1m.1 5.3 9 l.1 u 21 8.2 2 2j 3.6 ' +
  'd.7 2r 3.8 c.6 22.1 s 2 2 1k.d 2.4 2.1 6.a 2.z a 2v.3 2.5 2.1 3.1 q.1 5.2 h.3 e 3.1 7 g 5f.4f 9q.2 qb.2 ' +
  'u.1 v.1 v.1 1t.1 2.6 9 3.a a 1a.4 3a.1 z 3b.2 5.1 a 7.2 64.1 3 1n 2.6 2 2 3.7 7.9 3 1d.19 3.b l.3 1d 2.4 ' +
  '2 6 15.8 d.1 x.3 3.1 2.2 1l 2.1 4 2.2 1n.7 3.1 49.2 2.c 2.6 5 7 4.1 5j.1r ek.4 p.6 1e.4 2.9 2p.w 2db.2 ' +
  '3y 2p.v ff.3 30.1 n9x.3 2.9 x.1 29.1 7l 4 5 q.1 6 48.1 r.h e 13.7 q.a 1b.2 1d 3.3 3.1 14 1w.5 3.1 3.1 d ' +
  '9 1c 1g 2.2 3.1 6.1 2 17.1 9 6n 3 5 8n7.m 5.1c 6xv ki.f h.f 5s 6y.2 ea 6b 46.4 1af.2 2.1 6.3 15.2 5 4m.1 ' +
  'fy.3 1u.4 8u.1 26.5 1z.a 1e.3 3g 1j.e 16 3.1 b.2 1e.3 3.1 8 1q.2 11.4 2.7 1r d.1 1h.8 b.3 3 2o.2 3 2.1 7 ' +
  '3 4e 4.7 m.1 1m.1 4 12.6 4.4 1z.5 e 2 2 f.1 2e.7 3.2 2 o 2d.5 2 5.1 2.1 6n.3 7.1 2.1 s.1 2e.7 3 2.1 2z 2 ' +
  '3.5 2 2u 2 3.3 2.4 78.8 2.1 75.1 2 5 41.3 3.1 5 x.9 15.5 3.3 9 a.5 3.2 1b.c 2.1 5j 2.2 2 5m.6 2.5 2 2b.l ' +
  '3.6 2.1 2.1 3f.5 4 2.1 2.6 2 21.1 4 2 9o.1 c.1 1h.4 6 2 o 446.g 7.e 8uh.b 4.2 1xd.4 1o.6 t5 1s.3 2a ' +
  'f5l.1 2.3 3ml.19 3.m f5.2 a.f 3.6 v.3 45.2 1j0.1i 5.1d 9 f n.4 2.e 11t.6 2.g 3.6 2.1 2.4 2t 4h.6 ag 1q.3 ' +
  'e5.3 73.1 6s 3 8.1 6 d7.6 32.6 gzav v.2n 3l.6n';

const FIRST = 0xa0;
/** Characters without width that join one cell; the next has a cell of its own, so that a cell stays small. */
const JOINED = 8;

/** First and last code points of the ranges, in order. */
interface Ranges {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const wide = rangesOf(WIDE);
const withoutWidth = rangesOf(WITHOUT_WIDTH);

/** Cells of a character, as wcwidth counts them. Each code point counts alone: programs do not count clusters. */
export function widthOf(codePoint: number): 0 | 1 | 2 {
  if (codePoint < FIRST) return codePoint < 0x20 || codePoint >= 0x7f ? 0 : 1;
  if (contains(withoutWidth, codePoint)) return 0;
  return contains(wide, codePoint) ? 2 : 1;
}

/** The part of xterm's terminal that counts cells. */
interface WidthRegistry {
  readonly unicode: {
    register(provider: {
      readonly version: string;
      wcwidth(codePoint: number): 0 | 1 | 2;
      charProperties(codePoint: number, preceding: number): number;
    }): void;
    activeVersion: string;
  };
}

/** Makes a terminal of xterm count cells by this table. */
export function useCharacterWidths({ unicode }: WidthRegistry): void {
  unicode.register({ version: '17', wcwidth: widthOf, charProperties: propertiesOf });
  unicode.activeVersion = '17';
}

/** xterm's description of a character: the characters that joined its cell, its width, and whether it joins. */
function propertiesOf(codePoint: number, preceding: number): number {
  const width = widthOf(codePoint);
  const before = (preceding >> 1) & 3;
  if (width > 0 || before === 0) return width << 1;
  const joined = (preceding >> 3) + 1;
  return joined > JOINED ? 1 << 1 : (joined << 3) | (before << 1) | 1;
}

function rangesOf(text: string): Ranges {
  const starts: number[] = [];
  const ends: number[] = [];
  let last = FIRST;
  for (const range of text.split(' ')) {
    const [distance = '', more = '0'] = range.split('.');
    const start = last + Number.parseInt(distance, 36);
    last = start + Number.parseInt(more, 36);
    starts.push(start);
    ends.push(last);
  }
  return { starts, ends };
}

function contains({ starts, ends }: Ranges, codePoint: number): boolean {
  let low = 0;
  let high = starts.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (codePoint > (ends[middle] ?? 0)) low = middle + 1;
    else if (codePoint < (starts[middle] ?? 0)) high = middle - 1;
    else return true;
  }
  return false;
}
