import { DescriptorProtoSchema, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { boundedMessages, MESSAGE_BYTES } from './bounded-messages.ts';
import { fieldExcess } from './field-excess.ts';

const BOUNDS = { depth: 100, values: 131_072 };

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function framed(length: number, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, body]);
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const list: Uint8Array[] = [];
  for await (const piece of pieces) list.push(piece);
  return list;
}

async function passed(contentType: string, bytes: Buffer, size: number): Promise<Buffer> {
  const terms = { contentType, contentEncoding: undefined, message: FileDescriptorProtoSchema };
  return Buffer.concat(await all(boundedMessages(inPieces(bytes, size), terms)));
}

test('[limits.rpc] messages pass unchanged, however their bytes come: whole, cut, too large', async () => {
  const message = (length: number) => framed(length, Buffer.alloc(length, 'a'));
  const several = Buffer.concat([0, 1, 4, 5, 6, 300, 70_000].map(message));
  const cut = Buffer.concat([several, message(50).subarray(0, 20)]);
  const tooLarge = Buffer.concat([several, framed(MESSAGE_BYTES + 1, Buffer.alloc(MESSAGE_BYTES + 100))]);
  for (const type of ['application/connect+json', 'application/grpc', 'application/proto', 'application/json']) {
    for (const size of [7, 1000, 65_536]) expect((await passed(type, cut, size)).equals(cut)).toBe(true);
    expect((await passed(type, tooLarge, 65_536)).equals(tooLarge)).toBe(true);
  }
});

test('[limits.rpc] a piece is passed on as soon as its message is whole', async () => {
  const one = framed(3, Buffer.from('abc'));
  const terms = { contentType: 'application/grpc', contentEncoding: undefined, message: FileDescriptorProtoSchema };
  const messages = boundedMessages(inPieces(Buffer.concat([one, one, one.subarray(0, 6)]), 4), terms);
  const lengths = (await all(messages)).map(({ length }) => length);
  expect(lengths).toEqual([8, 8, 6]);
});

test('[limits.rpc] fields of messages within count, and those of values that are no message do not', () => {
  const excess = (bytes: Buffer) => fieldExcess(bytes, FileDescriptorProtoSchema, BOUNDS);
  // Field 3, a text, whose bytes would be fields.
  expect(excess(Buffer.from('1a00'.repeat(131_072), 'hex'))).toBeUndefined();
  expect(excess(Buffer.from('1a00'.repeat(131_073), 'hex'))).toBe('more than 131072 fields');
  const inner = Buffer.from('0800'.repeat(140_000), 'hex');
  const length = Buffer.from([192, 139, 17]);
  expect(excess(Buffer.concat([Buffer.from([0x1a]), length, inner]))).toBeUndefined();
  expect(excess(Buffer.concat([Buffer.from([0x22]), length, inner]))).toBe('more than 131072 fields');
});

test('[limits.rpc] what is no message, or lies about its lengths, ends the count', () => {
  for (const text of ['ff'.repeat(100), '22ffffffffffffffffff01', '2280', '0d00', '0b0b0c0c', '']) {
    expect(fieldExcess(Buffer.from(text, 'hex'), FileDescriptorProtoSchema, BOUNDS)).toBeUndefined();
  }
  // A message within each message (field 3), with the length of the rest.
  let nested = Buffer.alloc(0);
  for (let i = 0; i < 101; i += 1)
    nested = Buffer.concat([Buffer.from([0x1a, 0x80 | (nested.length % 128), nested.length >> 7]), nested]);
  expect(fieldExcess(nested, DescriptorProtoSchema, BOUNDS)).toBe('more than 100 messages within each other');
});
