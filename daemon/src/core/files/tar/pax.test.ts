import { expect, test } from 'vitest';
import { paxRecords } from './pax.ts';
import { BLOCK, writeHeader } from './tar-header.ts';

/** A global header with the records, and the header of an entry after it. */
function headersOf(records: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  const size = Buffer.byteLength(records);
  const empty = Buffer.alloc(0);
  writeHeader(block, { type: 'g', name: empty, link: empty, mode: 0, uid: 0, gid: 0, size, mtime: 0 });
  const body = Buffer.alloc(Math.ceil(size / BLOCK) * BLOCK);
  body.write(records);
  return Buffer.concat([block, body, Buffer.alloc(BLOCK)]);
}

const record = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`;
  const length = [1, 2, 3].map((digits) => digits + rest.length).find((all, index) => String(all).length === index + 1);
  return `${length}${rest}`;
};

test('[limits.archive-names] records without a meaning are not kept', () => {
  const others = Array.from({ length: 10_000 }, (_, n) => record(`other${n}`, 'x'));
  const { global } = paxRecords(headersOf([...others, record('uid', '7')].join('')));
  expect([...global].map(([key, value]) => [key, String(value)])).toEqual([['uid', '7']]);
});

test('all records of sparse files are one', () => {
  const { global } = paxRecords(headersOf(record('GNU.sparse.major', '1') + record('GNU.sparse.minor', '0')));
  expect([...global.keys()]).toEqual(['GNU.sparse']);
});
