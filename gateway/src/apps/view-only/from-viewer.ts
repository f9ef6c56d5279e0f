import { pixelFormatOf, type RfbState, SECURITY_NONE, SECURITY_VNC, VERSION_3_8 } from './handshake.ts';
import { type Steps, take } from './steps.ts';

/** Encodings whose length the gateway can tell: Raw, CopyRect, Tight, the cursor, a new size, the last rectangle. */
const ENCODINGS: ReadonlySet<number> = new Set([0, 1, 7, -239, -223, -224]);
/** Levels of quality and compression, which only give advice. */
const LEVELS: readonly (readonly [from: number, to: number])[] = [
  [-32, -23],
  [-256, -247],
];

/** Bytes after the type of messages of one length that are dropped: keys, the pointer, xvp, continuous updates. */
const DROPPED: ReadonlyMap<number, number> = new Map([
  [4, 7],
  [5, 5],
  [250, 3],
  [150, 9],
]);

/**
 * What a viewer may send that only watches (RFC 6143 §7.5): the handshake, the format of pixels, its encodings, and
 * requests for pictures. Keys, the pointer and the clipboard are dropped, and any other message ends the connection.
 */
export function* fromViewer(state: RfbState, emit: (bytes: Buffer) => void): Steps {
  yield* handshake(state, emit);
  while (true) {
    const type = yield* take(1);
    const kind = type.readUInt8();
    const dropped = DROPPED.get(kind);
    if (dropped !== undefined) yield { drop: dropped };
    else if (kind === 0) yield* setPixelFormat(state, type, emit);
    else if (kind === 2) yield* setEncodings(type, emit);
    else if (kind === 3) {
      state.hasAsked = true;
      emit(Buffer.concat([type, yield* take(9)]));
    } else yield* dropOther(kind);
  }
}

function* handshake(state: RfbState, emit: (bytes: Buffer) => void): Steps {
  const version = yield* take(12);
  if (version.toString('latin1') !== VERSION_3_8) throw new Error('a viewer that only watches must speak RFB 3.8');
  emit(version);
  const security = yield* take(1);
  state.security = security.readUInt8();
  if (state.security !== SECURITY_NONE && state.security !== SECURITY_VNC) throw new Error('another type of security');
  emit(security);
  if (state.security === SECURITY_VNC) yield { pass: 16 };
  yield { drop: 1 };
  // Not shared, it would end the connections of others.
  emit(Buffer.from([1]));
}

function* setPixelFormat(state: RfbState, type: Buffer, emit: (bytes: Buffer) => void): Steps {
  const message = yield* take(19);
  const format = pixelFormatOf(message.subarray(3));
  const isSame = format.bytes === state.format?.bytes && format.tightBytes === state.format.tightBytes;
  if (state.hasAsked && !isSame) throw new Error('another format of pixels after the first request');
  state.format = format;
  emit(Buffer.concat([type, message]));
}

function* setEncodings(type: Buffer, emit: (bytes: Buffer) => void): Steps {
  const head = yield* take(3);
  const list = yield* take(4 * head.readUInt16BE(1));
  const kept: Buffer[] = [];
  for (let at = 0; at < list.length; at += 4) {
    if (isAllowed(list.readInt32BE(at))) kept.push(list.subarray(at, at + 4));
  }
  head.writeUInt16BE(kept.length, 1);
  emit(Buffer.concat([type, head, ...kept]));
}

function isAllowed(encoding: number): boolean {
  return ENCODINGS.has(encoding) || LEVELS.some(([from, to]) => encoding >= from && encoding <= to);
}

/** Messages with a length of their own: the clipboard, fences, a size of the desktop, keys of QEMU's extension. */
function* dropOther(kind: number): Steps {
  if (kind === 6) yield { drop: Math.abs((yield* take(7)).readInt32BE(3)) };
  else if (kind === 248) yield { drop: (yield* take(8)).readUInt8(7) };
  else if (kind === 251) yield { drop: 16 * (yield* take(7)).readUInt8(5) };
  else if (kind === 255 && (yield* take(1)).readUInt8() === 0) yield { drop: 10 };
  else throw new Error(`the message ${kind} is not for a viewer that only watches`);
}
