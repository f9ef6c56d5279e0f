import { pixelFormatOf, type RfbState, SECURITY_VNC } from './handshake.ts';
import { type Step, type Steps, take } from './steps.ts';

const RAW = 0;
const COPY = 1;
const TIGHT = 7;
const CURSOR = -239;
const NEW_SIZE = -223;
const LAST = -224;

/** Data of Tight below this length are not compressed, and have no length before them. */
const TIGHT_MIN = 12;

/** Bytes after a refusal, of which there are none. */
const REST_BYTES = 1024;

interface Rectangle {
  readonly width: number;
  readonly height: number;
}

type Emit = (bytes: Buffer) => void;

/** What a desktop sends to a viewer that only watches: all but the clipboard (RFC 6143 §7.6). */
export function* fromDesktop(state: RfbState, emit: Emit): Steps {
  yield* handshake(state, emit);
  while (true) {
    const type = yield* take(1);
    const kind = type.readUInt8();
    if (kind === 0) yield* update(state, type, emit);
    else if (kind === 1) {
      const head = yield* take(5);
      emit(Buffer.concat([type, head]));
      yield { pass: 6 * head.readUInt16BE(3) };
    } else if (kind === 2) emit(type);
    else if (kind === 3) yield { drop: Math.abs((yield* take(7)).readInt32BE(3)) };
    else throw new Error(`the desktop sent the message ${kind}`);
  }
}

function* handshake(state: RfbState, emit: Emit): Steps {
  yield { pass: 12 };
  const count = yield* passed(1, emit);
  if (count.readUInt8() === 0) return yield* reason(emit);
  yield { pass: count.readUInt8() };
  // Whatever comes now answers the choice of the viewer.
  const first = yield* take(1);
  emit(first);
  let result: Buffer = Buffer.concat([first, yield* passed(3, emit)]);
  if (state.security === SECURITY_VNC) {
    yield { pass: 12 };
    result = yield* passed(4, emit);
  }
  if (result.readUInt32BE() !== 0) return yield* reason(emit);
  const init = yield* passed(24, emit);
  // The viewer may have chosen one already, without waiting.
  state.format ??= pixelFormatOf(init.subarray(4));
  yield { pass: init.readUInt32BE(20) };
}

/** Why the desktop refuses; then it ends the connection. */
function* reason(emit: Emit): Steps {
  yield { pass: (yield* passed(4, emit)).readUInt32BE() };
  while (true) yield { drop: REST_BYTES };
}

function* passed(count: number, emit: Emit): Generator<{ readonly take: number }, Buffer, Buffer> {
  const bytes = yield { take: count };
  emit(bytes);
  return bytes;
}

function* update(state: RfbState, type: Buffer, emit: Emit): Steps {
  const head = yield* take(3);
  emit(Buffer.concat([type, head]));
  for (let left = head.readUInt16BE(1); left > 0; left -= 1) {
    const rectangle = yield* passed(12, emit);
    const encoding = rectangle.readInt32BE(8);
    if (encoding === LAST) return;
    const size = { width: rectangle.readUInt16BE(4), height: rectangle.readUInt16BE(6) };
    yield* content(encoding, size, state, emit);
  }
}

function* content(encoding: number, { width, height }: Rectangle, { format }: RfbState, emit: Emit): Steps {
  if (format === undefined) throw new Error('a picture before the format of its pixels');
  if (encoding === RAW) yield { pass: width * height * format.bytes };
  else if (encoding === COPY) yield { pass: 4 };
  else if (encoding === CURSOR) yield { pass: width * height * format.bytes + Math.ceil(width / 8) * height };
  else if (encoding === TIGHT) yield* tight({ width, height }, format.tightBytes, emit);
  else if (encoding !== NEW_SIZE) throw new Error(`the desktop sent the encoding ${encoding}`);
}

/** The Tight encoding of the community's specification of RFB. */
function* tight({ width, height }: Rectangle, bytes: number, emit: Emit): Steps {
  const kind = (yield* passed(1, emit)).readUInt8() >> 4;
  if (kind === 0b1000) yield { pass: bytes };
  else if (kind === 0b1001) yield { pass: yield* compactLength(emit) };
  else if (kind > 0b0111) throw new Error(`the desktop sent the compression ${kind}`);
  else {
    const filter = (kind & 0b0100) === 0 ? 0 : (yield* passed(1, emit)).readUInt8();
    const length = filter === 1 ? yield* palette({ width, height }, bytes, emit) : width * height * bytes;
    yield { pass: length < TIGHT_MIN ? length : yield* compactLength(emit) };
  }
}

/** @returns bytes of the picture before compression */
function* palette({ width, height }: Rectangle, bytes: number, emit: Emit): Generator<Step, number, Buffer> {
  const colours = (yield* passed(1, emit)).readUInt8() + 1;
  yield { pass: colours * bytes };
  return colours === 2 ? Math.ceil(width / 8) * height : width * height;
}

/** Seven bits a byte, the last of three with eight. */
function* compactLength(emit: Emit): Generator<Step, number, Buffer> {
  let length = 0;
  for (const shift of [0, 7, 14]) {
    const byte = (yield* passed(1, emit)).readUInt8();
    length |= (shift === 14 ? byte : byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return length;
}
