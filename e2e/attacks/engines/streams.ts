import { gzipSync } from 'node:zlib';
import { archive } from '../../../daemon/src/capabilities/files/tree.fixture.ts';
import type { EngineAttack } from './engine-attack.ts';

const MIB = 1024 ** 2;
const BLOCK = 512;
const CHECKSUM_AT = 148;
const SIZE_AT = 124;

/** Writes bytes into the first header and a checksum that fits. */
function patched(bytes: Buffer, at: number, text: Buffer): Buffer {
  text.copy(bytes, at);
  bytes.fill(0x20, CHECKSUM_AT, CHECKSUM_AT + 8);
  const sum = bytes.subarray(0, BLOCK).reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM_AT, 'latin1');
  return bytes;
}

const pax = (record: string): Buffer => archive({ type: 'x', name: 'x', body: record }, { name: 'f', body: 'x' });
const BIG = Buffer.from('807fffffffffffffffffffff'.padEnd(24, 'f'), 'hex');
const NEGATIVE = Buffer.alloc(12, 0xff);

type Row = readonly [name: string, bytes: () => Buffer, statuses: readonly number[], more?: { isLong: boolean }];

const TAR: readonly Row[] = [
  ['a size of 2^63', () => patched(archive({ name: 'f' }), SIZE_AT, BIG), [400, 413]],
  ['a size below zero', () => patched(archive({ name: 'f' }), SIZE_AT, NEGATIVE), [400]],
  ['a size that is no number', () => patched(archive({ name: 'f' }), SIZE_AT, Buffer.from('99999999999 ')), [200, 400]],
  ['a sparse file of 2^63 bytes', () => patched(archive({ type: 'S', name: 'f' }), 483, BIG), [400]],
  ['an extended size of 10^99', () => pax('13 size=9e99\n'), [400, 413]],
  ['an extended record longer than its header', () => pax('4294967295 path=f\n'), [400]],
  ['an extended record of length 0', () => pax('0 path=f\n'.repeat(1_000)), [400]],
  ['100,000 extended records', () => pax('10 a=bcde\n'.repeat(100_000)), [200, 400]],
  ['an extended header of 9 MiB', () => pax(`9437184 comment=${'x'.repeat(9 * MIB - 17)}\n`), [400]],
  ['a long name of 9 MiB', () => archive({ type: 'L', name: 'x', body: 'x'.repeat(9 * MIB) }, { name: 'f' }), [400]],
  ['a checksum that is wrong', () => archive({ name: 'f' }).fill(0x39, 148, 154), [400]],
  ['blocks of 0xff', () => Buffer.alloc(MIB, 0xff), [400]],
];

/** Bytes of zeros as members of gzip, each of 64 MiB; unpacked it has `count` times as many. */
const zeros = (count: number): Buffer => Buffer.concat(Array<Buffer>(count).fill(gzipSync(Buffer.alloc(64 * MIB))));

const packed = gzipSync(archive({ name: 'f' }));

const GZIP: readonly Row[] = [
  ['a stream that is cut', () => gzipSync(archive({ name: 'f', body: 'x'.repeat(9_000) })).subarray(0, 40), [400]],
  ['a stream without its checksum', () => Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8)]), [400]],
  [
    'garbage behind the magic number',
    () => Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(MIB, 0xee)]),
    [400],
  ],
  ['a stream packed twice', () => gzipSync(gzipSync(archive({ name: 'f' }))), [400]],
  ['100,000 empty members', () => Buffer.concat(Array<Buffer>(100_000).fill(gzipSync(''))), [200, 400]],
  ['a file of 64 GiB in 64 MiB', () => gzipSync(archive({ name: 'f', size: 64 * 1024 ** 3 - 1 })), [400, 413, 507]],
  ['5 GiB of zeros', () => zeros(80), [200, 400, 413], { isLong: true }],
];

const rows = (engine: string, list: readonly Row[]): readonly EngineAttack[] =>
  list.map(([name, bytes, statuses, more]) => ({
    engine,
    name,
    statuses,
    ...more,
    run: ({ call, directory }) => {
      const body = new Uint8Array(bytes());
      const path = encodeURIComponent(`${directory}/${engine}`);
      return call(`/v2/fs/tree?path=${path}`, {
        method: 'PUT',
        body,
        headers: { 'content-type': 'application/x-tar' },
      });
    },
  }));

export const STREAMS: readonly EngineAttack[] = [...rows('tar-stream', TAR), ...rows('zlib', GZIP)];
