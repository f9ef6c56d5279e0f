import { counted } from '@sandbox/api/counted.ts';
import { failure } from '@sandbox/api/http/envelope.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendStream } from '../streams/send-stream.ts';
import { judgeConditions, type Validators } from './conditional.ts';
import { rangeOf } from './ranges.ts';

const CHANGED = 'read it again and repeat the call with its present etag';
const OUTSIDE = 'ask for a range below the size, which Content-Range names, or for the whole file';

/** Bytes to be sent with validators, by range. */
export interface FileToSend extends Validators {
  readonly size: number;
  readonly contentType: string;
  /** What a browser shall call it. */
  readonly name: string;
  /** Returns what is in hand before the head goes out, then the rest; throws if that cannot be had. */
  readonly read: (start: number, end: number) => Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>>;
}

/** Answers GET and HEAD with the whole, a range, or nothing but the news that nothing changed (RFC 9110 §13, §14). */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: FileToSend): Promise<FastifyReply> {
  const { etag, modified, size, contentType, name } = file;
  void reply.headers({
    etag,
    'last-modified': modified.toUTCString(),
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
  });
  const { status, honoursRange } = judgeConditions(request.headers, file);
  if (status === 304) return reply.code(304).send();
  if (status === 412)
    return reply.code(412).send(failure('the file is not the one that was expected', CHANGED, { etag }));
  const range = honoursRange && request.method === 'GET' ? rangeOf(request.headers.range, size) : undefined;
  if (range === 'unsatisfiable') {
    void reply.code(416).header('content-range', `bytes */${size}`);
    return reply.send(failure(`the range lies outside of the file, which has ${counted(size, 'byte')}`, OUTSIDE));
  }
  const { start, end } = range ?? { start: 0, end: size };
  const pieces = request.method === 'HEAD' || start === end ? [] : await file.read(start, end);
  if (range) void reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${size}`);
  void reply.headers({ 'content-length': end - start, 'content-disposition': dispositionOf(name) });
  return sendStream(reply, contentType, () => toAsync(pieces));
}

async function* toAsync(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** RFC 6266: a plain name for old clients, the exact one in UTF-8 (RFC 8187). */
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
