import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { SandboxError } from '../core/errors.ts';
import type { App } from './app-types.ts';

/** Bytes of a JSON body; a longer one is 413. */
export const JSON_BODY_LIMIT = 32 * 1024 ** 2;

/**
 * Every body is read as JSON, whatever type it declares, so that a plain `curl -d` works; an absent or empty one is `{}`.
 * What a page of another origin may send without asking is a matter of the gate.
 */
export function readBodies(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    collect(payload, request).then(
      (text) => done(null, text),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  });
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addHook('preValidation', (request, _reply, done) => {
    const { body } = request;
    if (typeof body === 'object') {
      done();
      return;
    }
    if (typeof body !== 'string' || body.trim() === '') {
      request.body = {};
      done();
      return;
    }
    void parse(request, body, (error: Error | null, value?: unknown) => {
      if (error) {
        done(new SandboxError('invalid', `the body is not JSON: ${error.message}`, { cause: error }));
        return;
      }
      request.body = withoutNulls(value);
      done();
    });
  });
}

/** Within this scope an `application/octet-stream` body reaches the handler as a stream, unread and without a limit. */
export function acceptRawBodies(scope: App): void {
  scope.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
}

/** Within this scope a body reaches the handler as a stream whatever type it declares. */
export function acceptAnyBody(scope: App): void {
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

export function isRawBody(body: unknown): body is Readable {
  return body instanceof Readable;
}

/** What comes of a body, piece by piece. Whoever stops in the middle leaves the connection to the answer. */
export function piecesOf(body: Readable): AsyncIterable<Buffer> {
  return body.iterator({ destroyOnReturn: false });
}

/** By events: iterating over a stream costs a small body more than all the rest of its reading. */
function collect(payload: Readable, request: FastifyRequest): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const refuse = (): void =>
    reject(
      new SandboxError('too_large', `the body is over ${JSON_BODY_LIMIT} bytes`, { data: { limit: JSON_BODY_LIMIT } }),
    );
  if (Number(request.headers['content-length'] ?? 0) > JSON_BODY_LIMIT) {
    refuse();
    return promise;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  payload.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= JSON_BODY_LIMIT) chunks.push(chunk);
    else {
      chunks.length = 0;
      refuse();
    }
  });
  payload.once('end', () => resolve(Buffer.concat(chunks, length).toString('utf8')));
  payload.once('error', reject);
  payload.once('close', () => reject(new Error('the body was cut')));
  return promise;
}

/** An explicit null for a field means that it is absent. */
function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const entries = Object.entries(body);
  return entries.every(([, value]) => value !== null)
    ? body
    : Object.fromEntries(entries.filter(([, value]) => value !== null));
}
