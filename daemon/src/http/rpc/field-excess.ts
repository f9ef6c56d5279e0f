import type { DescMessage } from '@bufbuild/protobuf';
import type { JsonBounds } from '@sandbox/program/json-shape.ts';

/** Types of values on the wire (protobuf.dev/programming-guides/encoding). */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;
const VARINT_BYTES = 10;

/**
 * What makes a message in protobuf's binary format too much work to parse: its fields and those of the messages within.
 * Undefined: nothing; the bytes need not be a valid message.
 */
export function fieldExcess(bytes: Uint8Array, message: DescMessage, most: JsonBounds): string | undefined {
  return new Fields(bytes, most).excess(message, bytes.length, 1);
}

class Fields {
  readonly #bytes: Uint8Array;
  readonly #most: JsonBounds;
  #at = 0;
  #count = 0;

  constructor(bytes: Uint8Array, most: JsonBounds) {
    this.#bytes = bytes;
    this.#most = most;
  }

  excess(message: DescMessage, end: number, depth: number): string | undefined {
    if (depth > this.#most.depth) return `more than ${this.#most.depth} messages within each other`;
    while (this.#at < end) {
      this.#count += 1;
      if (this.#count > this.#most.values) return `more than ${this.#most.values} fields`;
      const tag = this.#varint(end);
      const stop = this.#endOfValue(tag % 8, end);
      const inner = tag % 8 === LENGTH ? messageOf(message, Math.floor(tag / 8)) : undefined;
      const excess = inner && this.excess(inner, stop, depth + 1);
      if (excess !== undefined) return excess;
      this.#at = stop;
    }
    return undefined;
  }

  /** The position moves to where a value with a length begins. */
  #endOfValue(type: number, end: number): number {
    if (type === VARINT) this.#varint(end);
    const length = type === LENGTH ? this.#varint(end) : ({ [FIXED64]: 8, [FIXED32]: 4 }[type] ?? 0);
    return Math.min(end, this.#at + length);
  }

  #varint(end: number): number {
    let value = 0;
    for (let i = 0; i < VARINT_BYTES && this.#at < end; i += 1) {
      const byte = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      value += (byte % 128) * 128 ** i;
      if (byte < 128) break;
    }
    return value;
  }
}

function messageOf(message: DescMessage, number: number): DescMessage | undefined {
  const field = message.fields.find((each) => each.number === number);
  // An entry of a map is a message of its own, and counts as one field.
  return field?.fieldKind === 'map' ? undefined : field?.message;
}
