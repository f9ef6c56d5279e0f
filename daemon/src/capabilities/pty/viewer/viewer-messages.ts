import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { jsonMessage } from '../../../core/connection/json-message.ts';

/** The most columns and the most rows of a terminal. */
export const MAX_SIZE = 1000;

/** A JSON message to a viewer. */
export type ToViewer =
  | { readonly type: 'session_id'; readonly data: string }
  | {
      readonly type: 'ready';
      readonly session_id: string;
      readonly transport: string;
      readonly backend: string;
      readonly resumed: boolean;
      readonly cols: number;
      readonly rows: number;
      readonly offset: number;
    }
  | { readonly type: 'restore_output'; readonly data: string }
  | { readonly type: 'relay_resumed'; readonly offset: number }
  | { readonly type: 'pong'; readonly timestamp: unknown }
  | { readonly type: 'ping'; readonly timestamp: number }
  | {
      readonly type: 'exit';
      readonly exit_code: number | null;
      readonly signal: string | null;
      readonly oom_killed: boolean | null;
      readonly oom_process: string | null;
    }
  | { readonly type: 'error'; readonly data: string };

/** A message from a viewer. */
export type FromViewer =
  | { readonly type: 'input'; readonly bytes: Buffer }
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number }
  | { readonly type: 'ping'; readonly timestamp: unknown }
  | { readonly type: 'pong' | 'pause' | 'resume' }
  | { readonly type: 'ack'; readonly offset: number };

/** Parses a text message; text other than a JSON object is input. @throws SandboxError `invalid` for an unknown object */
export function parseMessage(bytes: Buffer): FromViewer {
  const fields = jsonMessage(bytes);
  if (fields === undefined) return { type: 'input', bytes };
  const { type } = fields;
  switch (type) {
    case 'input':
      return { type, bytes: Buffer.from(textOf(fields['data'])) };
    case 'resize':
      return { type, ...sizeOf(fields) };
    case 'ping':
      return { type, timestamp: fields['timestamp'] };
    case 'pong':
    case 'pause':
    case 'resume':
      return { type };
    case 'ack':
      return { type, offset: offsetOf(fields['offset']) };
    default:
      throw new SandboxError('invalid', `unknown type of message: ${JSON.stringify(type) ?? 'none'}`);
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new SandboxError('invalid', 'input: data is not a string');
}

/** 1.x sent the size under `data`. */
function sizeOf(fields: Record<string, unknown>): { cols: number; rows: number } {
  const inner = fields['data'];
  const source = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : fields;
  return { cols: extent('cols', source['cols']), rows: extent('rows', source['rows']) };
}

function extent(name: string, value: unknown): number {
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_SIZE) return Number(value);
  throw new SandboxError('invalid', `resize: ${name} is not a whole number from 1 to ${MAX_SIZE}`);
}

function offsetOf(value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new SandboxError('invalid', 'ack: offset is not a whole number');
}
