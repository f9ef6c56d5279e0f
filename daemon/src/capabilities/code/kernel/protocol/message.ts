import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { type JsonBounds, jsonExcess } from '@sandbox/program/json-shape.ts';

const DELIMITER = Buffer.from('<IDS|MSG>');
const VERSION = '5.3';

interface Header {
  readonly msg_id: string;
  readonly msg_type: string;
  readonly session?: string;
}

/** A message of the Jupyter protocol. */
export interface Message {
  readonly header: Header;
  /** Empty if it answers nothing. */
  readonly parent: Partial<Header>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly content: Readonly<Record<string, unknown>>;
  /** Frames after the content, which no signature covers. */
  readonly buffers: readonly Buffer[];
}

/** Bytes of the content of one stream message that are kept: more than the characters of a cell. */
const STREAM_BYTES = 8 * 1024 ** 2;
/** What is parsed of one part: data of a plot, not 20 million empty lists. */
const PART: JsonBounds = { depth: 1000, values: 2_000_000 };
const STREAM = /"msg_type": ?"stream"/;

/** Keeps all of a message but a long content of a stream, of which a cell can only show the beginning. */
export function streamRetention(frames: readonly Buffer[]): number {
  const at = frames.findIndex((frame) => frame.equals(DELIMITER));
  const header = at < 0 ? undefined : frames[at + 2];
  const isContent = frames.length === at + 5;
  return header && isContent && STREAM.test(header.toString('latin1')) ? STREAM_BYTES : Number.POSITIVE_INFINITY;
}

/** Writes and reads the messages of one kernel, signed by HMAC-SHA256 with the key of its connection file. */
export class Wire {
  readonly #key: string;
  readonly session = randomUUID();

  constructor(key: string) {
    this.#key = key;
  }

  encode(msgId: string, type: string, content: object): Buffer[] {
    const header = {
      msg_id: msgId,
      msg_type: type,
      session: this.session,
      username: 'sandbox',
      date: new Date().toISOString(),
      version: VERSION,
    };
    const parts = [JSON.stringify(header), '{}', '{}', JSON.stringify(content)].map((part) => Buffer.from(part));
    return [DELIMITER, Buffer.from(this.#sign(parts)), ...parts];
  }

  /** Undefined for a message that this key has not signed, or that is none. */
  decode(frames: readonly Buffer[]): Message | undefined {
    const at = frames.findIndex((frame) => frame.equals(DELIMITER));
    if (at < 0) return undefined;
    return this.decodeParts(frames.slice(at + 1, at + 6), frames.slice(at + 6));
  }

  /** As `decode`, of the frames after the delimiter: signature, header, parent, metadata and content. */
  decodeParts(frames: readonly Buffer[], buffers: readonly Buffer[] = []): Message | undefined {
    const [signature, ...parts] = frames;
    if (signature === undefined || parts.length < 4) return undefined;
    const wanted = Buffer.from(this.#sign(parts));
    if (signature.length !== wanted.length || !timingSafeEqual(signature, wanted)) return undefined;
    const [header, parent, metadata, content] = parts.map(objectOf);
    if (typeof header?.['msg_type'] !== 'string') return undefined;
    if (content === undefined) return this.decodeCutParts(frames);
    return {
      header: header as unknown as Header,
      parent: parent ?? {},
      metadata: metadata ?? {},
      content,
      buffers,
    };
  }

  /**
   * What a message says whose end was not kept: the beginning of a stream, else a note of what is missing. It cannot
   * be checked against its signature; that nothing but the kernel writes here is due to the directory of its socket.
   */
  decodeCut(frames: readonly Buffer[]): Message | undefined {
    const at = frames.findIndex((frame) => frame.equals(DELIMITER));
    return at < 0 ? undefined : this.decodeCutParts(frames.slice(at + 1, at + 6));
  }

  /** As `decodeCut`, of the frames after the delimiter. */
  decodeCutParts([, header, parent, , content]: readonly Buffer[]): Message | undefined {
    if (header === undefined || parent === undefined) return undefined;
    const known = (objectOf(header) ?? {}) as unknown as Header;
    const isStream = known.msg_type === 'stream';
    const text = isStream && content ? beginningOf(content) : '\n[an output that was too long is left out]\n';
    const name = !isStream || content?.includes('"stderr"') ? 'stderr' : 'stdout';
    return {
      header: { ...known, msg_type: 'stream' },
      parent: objectOf(parent) ?? {},
      metadata: {},
      content: { name, text },
      buffers: [],
    };
  }

  #sign(parts: readonly Buffer[]): string {
    const hmac = createHmac('sha256', this.#key);
    for (const part of parts) hmac.update(part);
    return hmac.digest('hex');
  }
}

/** The type that a header names; undefined if it names none. */
export function messageType(header: Buffer | undefined): unknown {
  return header && objectOf(header)?.['msg_type'];
}

/** An empty object if it is none; undefined if it is too much to parse. */
function objectOf(part: Buffer): Record<string, unknown> | undefined {
  const text = part.toString('utf8');
  if (jsonExcess(text, PART) !== undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The text of a stream whose JSON was cut. */
function beginningOf(content: Buffer): string {
  const json = content.toString('utf8');
  const start = /"text": ?"/.exec(json.slice(0, 1000));
  if (!start) return '';
  const text = json.slice(start.index + start[0].length);
  // An escape at the cut may be incomplete: it has at most six characters.
  for (let length = text.length; length > text.length - 12 && length > 0; length -= 1) {
    const value = stringOf(`"${text.slice(0, length)}"`);
    if (value !== undefined) return value;
  }
  return '';
}

function stringOf(json: string): string | undefined {
  try {
    return String(JSON.parse(json));
  } catch {
    return undefined;
  }
}
