import { expect, test } from 'vitest';
import { MarkFinder } from './marks.ts';

const BEGIN = '\x1b]133;C;svc=n0nce\x07';
const END = '\x1b]133;D;3;svc=n0nce;/tmp\x07';
const STREAM = Buffer.from(`$ echo hi\r\n${BEGIN}hi\r\n${END}$ `, 'latin1');

test('the marks are found wherever the stream is cut, also into single bytes', () => {
  const outputStart = STREAM.indexOf(BEGIN) + BEGIN.length;
  const start = STREAM.indexOf(END);
  const mark = { start, end: start + END.length, exitCode: 3, directory: '/tmp' };
  for (let size = 1; size <= STREAM.length; size += 1) {
    for (let first = 1; first <= size; first += 1) {
      const finder = new MarkFinder('n0nce', 100);
      const found = [];
      for (let at = 0, end = first; at < STREAM.length; at = end, end += size) {
        found.push(finder.push(100 + at, STREAM.subarray(at, end)));
      }
      expect(found.filter((one) => one !== undefined)).toEqual([
        { ...mark, start: 100 + mark.start, end: 100 + mark.end },
      ]);
      expect(finder.outputStart).toBe(100 + outputStart);
    }
  }
});
