import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { DescMessage } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { CollectedBytes } from '@sandbox/program/collected-bytes.ts';
import { jsonExcess, OF_A_CALL } from '@sandbox/program/json-shape.ts';
import { fieldExcess } from './field-excess.ts';

const gunzipped = promisify(gunzip);

/** Bytes of one message, in either direction. */
export const MESSAGE_BYTES = 8 * 1024 ** 2;
/** Parsing a message of this size takes at most a few milliseconds. */
const SMALL_BYTES = 64 * 1024;
/** A byte of flags and the length, in front of each message of a stream (Connect and gRPC). */
const HEAD_BYTES = 5;
const FRAME_BYTES = HEAD_BYTES + MESSAGE_BYTES;
const COMPRESSED = 1;

export interface MessageTerms {
  /** The header `Content-Type`. */
  readonly contentType: string;
  /** The header `Content-Encoding`, which is that of the message of a call without a stream. */
  readonly contentEncoding: string | undefined;
  readonly message: DescMessage;
}

type Check = (bytes: Buffer, isCompressed: boolean) => Promise<void>;

/**
 * The bytes of a request, each message as a whole and refused before the library parses it if it has more values than a
 * body of JSON may have: 8 MiB of empty texts hold a thread for a second. The library answers malformed messages.
 */
export function boundedMessages(body: AsyncIterable<Uint8Array>, terms: MessageTerms): AsyncIterable<Uint8Array> {
  const isJson = /[/+]json\b/.test(terms.contentType);
  const excessOf = (bytes: Buffer): string | undefined =>
    isJson ? jsonExcess(bytes.toString('latin1')) : fieldExcess(bytes, terms.message, OF_A_CALL);
  const check: Check = async (bytes, isCompressed) => {
    const plain = isCompressed ? await expanded(bytes) : bytes;
    const excess = plain.length > SMALL_BYTES ? excessOf(plain) : undefined;
    if (excess !== undefined) throw new ConnectError(`the message has ${excess}`, Code.InvalidArgument);
  };
  const isFramed = /^application\/(?:connect|grpc)/.test(terms.contentType);
  return isFramed ? framed(body, check) : single(body, check, terms.contentEncoding === 'gzip');
}

/** Returns no bytes if they are not gzip or expand beyond `MESSAGE_BYTES`: the library refuses these. */
async function expanded(bytes: Buffer): Promise<Buffer> {
  return await gunzipped(bytes, { maxOutputLength: MESSAGE_BYTES }).catch(() => Buffer.alloc(0));
}

async function* single(
  body: AsyncIterable<Uint8Array>,
  check: Check,
  isCompressed: boolean,
): AsyncGenerator<Uint8Array> {
  const held = new CollectedBytes();
  let isTooLarge = false;
  for await (const piece of body) {
    held.add(bufferOf(piece));
    isTooLarge ||= held.length > MESSAGE_BYTES;
    if (isTooLarge) yield held.take();
  }
  if (isTooLarge) return;
  const message = held.take();
  await check(message, isCompressed);
  yield message;
}

async function* framed(body: AsyncIterable<Uint8Array>, check: Check): AsyncGenerator<Uint8Array> {
  const held = new CollectedBytes();
  let wanted = HEAD_BYTES;
  for await (const piece of body) {
    held.add(bufferOf(piece));
    // Beyond the bound, the library refuses the rest.
    if (wanted > FRAME_BYTES) yield held.take();
    if (held.length < wanted) continue;
    let bytes = held.take();
    wanted = frameBytes(bytes);
    while (bytes.length >= wanted && wanted <= FRAME_BYTES) {
      const message = bytes.subarray(0, wanted);
      await check(message.subarray(HEAD_BYTES), ((message[0] ?? 0) & COMPRESSED) !== 0);
      yield message;
      bytes = bytes.subarray(wanted);
      wanted = frameBytes(bytes);
    }
    held.add(bytes);
    if (wanted > FRAME_BYTES) yield held.take();
  }
  if (held.length > 0) yield held.take();
}

/** Bytes of the first message with its head; of the head if that is not whole. */
function frameBytes(bytes: Buffer): number {
  return bytes.length < HEAD_BYTES ? HEAD_BYTES : HEAD_BYTES + bytes.readUInt32BE(1);
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
