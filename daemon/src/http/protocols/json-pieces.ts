import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isTurnSpent, yieldToEventLoop } from '../../core/turns.ts';

/** Characters of a text that one piece has at most. */
const PIECE = 16 * 1024;
/** Characters of an answer that is sent whole, with its length. */
const SHORT = 64 * 1024;

/** JSON of an object in pieces, made while they are read: a text of megabytes delays no other request. */
export async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  for (const piece of piecesOf(value)) {
    if (isTurnSpent()) await yieldToEventLoop();
    yield piece;
  }
}

/** Ends the answer with this object. @throws the reason of `gone` */
export async function sendJsonPieces(
  res: ServerResponse,
  status: number,
  value: object,
  gone: AbortSignal,
): Promise<void> {
  const type = { 'content-type': 'application/json' };
  if (textLengthOf(value) > SHORT) {
    await pipeline(Readable.from(jsonPieces(value)), res.writeHead(status, type), { signal: gone });
    return;
  }
  const body = JSON.stringify(value);
  res.writeHead(status, { ...type, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** Characters of all texts in it. */
export function textLengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return isObject(value) ? Object.values(value).reduce((sum: number, one) => sum + textLengthOf(one), 0) : 0;
}

function* piecesOf(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length > PIECE) {
    yield '"';
    // Halves of a surrogate pair that two pieces have are escaped each, which is the same text.
    for (let at = 0; at < value.length; at += PIECE) yield JSON.stringify(value.slice(at, at + PIECE)).slice(1, -1);
    yield '"';
  } else if (isObject(value) && !Array.isArray(value)) {
    let before = '{';
    for (const [name, one] of Object.entries(value)) {
      yield `${before}${JSON.stringify(name)}:`;
      yield* piecesOf(one);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else {
    yield JSON.stringify(value);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
