import { randomUUID } from 'node:crypto';
import type { RawData } from 'ws';
import type { Message } from '../kernel/protocol/message.ts';

const VERSION = '5.3';

/** A request as a Jupyter server takes it on the WebSocket of a kernel. */
export function outsideRequest(channel: 'shell' | 'control', msgId: string, type: string, content: object): string {
  const header = {
    msg_id: msgId,
    msg_type: type,
    session: randomUUID(),
    username: 'sandbox',
    date: new Date().toISOString(),
    version: VERSION,
  };
  return JSON.stringify({ channel, header, parent_header: {}, metadata: {}, content, buffers: [] });
}

/** A message of a kernel and its channel; undefined if it is malformed. */
export function outsideMessage(
  data: RawData,
  isBinary: boolean,
): { readonly channel: string; readonly message: Message } | undefined {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
  const text = isBinary ? firstPart(bytes) : bytes.toString('utf8');
  const value = objectOf(text);
  const header = fieldOf(value, 'header');
  if (typeof header?.['msg_type'] !== 'string' || typeof header['msg_id'] !== 'string') return undefined;
  const message: Message = {
    header: { msg_id: header['msg_id'], msg_type: header['msg_type'] },
    parent: fieldOf(value, 'parent_header') ?? {},
    metadata: fieldOf(value, 'metadata') ?? {},
    content: fieldOf(value, 'content') ?? {},
    buffers: [],
  };
  return { channel: String(value?.['channel']), message };
}

/** With buffers a message is binary: the number of parts, the offset of each, and the JSON as the first part. */
function firstPart(bytes: Buffer): string {
  if (bytes.length < 12) return '';
  const count = bytes.readUInt32BE(0);
  const end = count > 1 ? bytes.readUInt32BE(8) : bytes.length;
  return bytes.toString('utf8', bytes.readUInt32BE(4), end);
}

type Fields = Readonly<Record<string, unknown>>;

function objectOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function fieldOf(value: Fields | undefined, name: string): Fields | undefined {
  const field = value?.[name];
  return typeof field === 'object' && field !== null ? (field as Fields) : undefined;
}
