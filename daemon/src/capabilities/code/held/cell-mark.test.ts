import { expect, test } from 'vitest';
import { afterLastMark, MarkedText, markName } from './cell-mark.ts';

const name = markName('secret', 'cell');
const mark = (code: number): string => `\x1e${name} ${code}\x1e`;

function taken(bytes: Buffer, size: number): { text: string; code: number | undefined; used: number } {
  const stream = new MarkedText(name);
  let text = '';
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    text += stream.take(Buffer.from(piece));
    if (stream.code !== undefined) return { text, code: stream.code, used: at + piece.length - stream.rest };
  }
  return { text: text + stream.flush(), code: stream.code, used: bytes.length };
}

test.each([1, 2, 3, 7, 40, 64, 1000])('a mark ends the text however it is cut: pieces of %i bytes', (size) => {
  const before = `é\x1e€ \x1e${name.slice(0, 20)}\x1e\x1e ${mark(0).slice(0, -2)}`.slice(0, -20);
  const text = Buffer.from(`${before}${mark(137)}`);
  const all = Buffer.concat([text, Buffer.from('later')]);
  expect(taken(all, size)).toEqual({ text: before, code: 137, used: text.length });
});

test.each([1, 5, 1000])('without a mark all is text, also what may begin one: pieces of %i bytes', (size) => {
  const text = `a\x1e${name} 1`;
  expect(taken(Buffer.from(text), size)).toEqual({ text, code: undefined, used: Buffer.byteLength(text) });
});

test('the mark of another cell or interpreter is text', () => {
  for (const other of [markName('secret', 'other'), markName('public', 'cell')]) {
    const text = `x\x1e${other} 0\x1e`;
    expect(taken(Buffer.from(text), 1000)).toMatchObject({ text, code: undefined });
  }
});

test('bytes that are not UTF-8 become U+FFFD', () => {
  expect(taken(Buffer.concat([Buffer.from([0xff, 0x61]), Buffer.from(mark(0))]), 3)).toMatchObject({ text: '�a' });
});

test('what is held back is bounded where a mark has no end', () => {
  const stream = new MarkedText(name);
  stream.take(Buffer.from(`\x1e${name} `));
  stream.take(Buffer.alloc(64, 0x31));
  expect(stream.code).toEqual(expect.any(Number));
});

test('a restarted daemon finds where the last cell ended', () => {
  const first = `one\x1e${markName('secret', 'first')} 0\x1e`;
  expect(afterLastMark(Buffer.from(`${first}two${mark(0)}`), 'secret', name)).toBe(first.length);
  expect(afterLastMark(Buffer.from('no mark'), 'secret', name)).toBeUndefined();
});
