import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { jsonMessage } from '../../../core/connection/json-message.ts';
import type { StreamName } from '../output/follow.ts';

/** Bytes of a frame in either direction, its header included. */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** Number of the stream, and the offset of the first byte of data in it, big-endian. */
const HEADER_BYTES = 1 + 8;

const STREAMS = { stdin: 0, stdout: 1, stderr: 2, control: 3 } as const;

/** A control message to an attached client. */
export type ToClient =
  | {
      readonly type: 'ready';
      readonly command_id: string;
      readonly status: string;
      readonly pid: number | null;
      readonly write: boolean;
      readonly stdin_offset: number;
      readonly stdin_open: boolean;
    }
  | { readonly type: 'ack'; readonly offset: number }
  | { readonly type: 'eof'; readonly stream: 'stdin' | StreamName; readonly offset: number }
  | { readonly type: 'gap'; readonly stream: StreamName; readonly first_offset: number }
  | {
      readonly type: 'exit';
      readonly status: string;
      readonly exit_code: number | null;
      readonly signal: string | null;
      readonly oom_killed: boolean | null;
      readonly oom_process: string | null;
      readonly stdout_bytes: number;
      readonly stderr_bytes: number;
      readonly message: string | null;
    }
  | {
      readonly type: 'error';
      readonly code: string;
      readonly message: string;
      readonly hint: string | null;
      readonly stdin_offset: number;
      readonly stdin_open: boolean;
    };

/** A frame of an attached client: bytes for stdin, or its end. Offsets are those of all of stdin. */
export type FromClient =
  | { readonly type: 'stdin'; readonly offset: number; readonly bytes: Buffer }
  | { readonly type: 'eof'; readonly offset: number };

export function outputFrame(stream: StreamName, offset: number, bytes: Uint8Array): Buffer {
  return frame(STREAMS[stream], offset, bytes);
}

export function controlFrame(message: ToClient): Buffer {
  return frame(STREAMS.control, 0, Buffer.from(JSON.stringify(message)));
}

/** @throws SandboxError `invalid` for anything else than a frame that a client may send */
export function parseFrame(bytes: Buffer, isText: boolean): FromClient {
  if (isText) throw new SandboxError('invalid', 'text messages are not accepted: frames are binary');
  if (bytes.length < HEADER_BYTES) {
    throw new SandboxError('invalid', `a frame of ${bytes.length} bytes has no header: it takes ${HEADER_BYTES}`);
  }
  const data = bytes.subarray(HEADER_BYTES);
  const stream = bytes.readUInt8();
  if (stream === STREAMS.control) return controlOf(data);
  if (stream === STREAMS.stdin) return { type: 'stdin', offset: offsetOf(bytes.readBigUInt64BE(1)), bytes: data };
  throw new SandboxError('invalid', `a client sends streams 0 (stdin) and 3 (control), not ${stream}`);
}

function frame(stream: number, offset: number, data: Uint8Array): Buffer {
  const whole = Buffer.allocUnsafe(HEADER_BYTES + data.length);
  whole.writeUInt8(stream);
  whole.writeBigUInt64BE(BigInt(offset), 1);
  whole.set(data, HEADER_BYTES);
  return whole;
}

function controlOf(data: Buffer): FromClient {
  const fields = jsonMessage(data);
  if (fields === undefined) throw new SandboxError('invalid', 'the data of a control frame is not a JSON object');
  const { type, offset } = fields;
  if (type !== 'eof') {
    throw new SandboxError('invalid', `unknown type of control message: ${JSON.stringify(type) ?? 'none'}`);
  }
  return { type, offset: offsetOf(offset) };
}

/** Numbers above 2^53 - 1 are not exact in JavaScript, and no stdin has as many bytes. */
function offsetOf(value: unknown): number {
  const offset = typeof value === 'bigint' ? Number(value) : value;
  if (Number.isSafeInteger(offset) && Number(offset) >= 0) return Number(offset);
  throw new SandboxError('invalid', 'offset is not a whole number from 0 to 2^53 - 1');
}
