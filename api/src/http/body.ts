import { Readable } from 'node:stream';
import { CollectedBytes } from '@sandbox/program/collected-bytes.ts';
import { exactText, hasLoneSurrogate, isExactQuery } from '@sandbox/program/exact-text.ts';
import { jsonExcess } from '@sandbox/program/json-shape.ts';
import type { FastifyRequest } from 'fastify';
import { onlyNulls, valueWithoutNulls } from '../fields/without-nulls.ts';
import { SandboxError } from '../sandbox-error.ts';
import type { App } from './app-types.ts';

/** Largest JSON body, in bytes; a longer one is 413. */
export const JSON_BODY_LIMIT = 32 * 1024 ** 2;

/** Members of bodies that were null. */
const nulls = new WeakMap<FastifyRequest, object>();

/** The members of a JSON body that were null, and that its handler therefore does not see. */
export function nullsOf(request: FastifyRequest): object {
  return nulls.get(request) ?? {};
}

const QUERY_HINT = 'encode the characters as UTF-8; a name that is not UTF-8 goes into path_b64';
const BYTES_HINT = { hint: 'send text as UTF-8; bytes go as base64 or as a raw body, names of files in path_b64' };

/**
 * Parses every body as JSON, for any Content-Type, so that a plain `curl -d` works; an absent or empty body is
 * `{}`; that of an unknown route is not read. A byte order mark before the value is ignored (RFC 8259, section 8.1). Text
 * that would be taken changed is 400. The gate, not the Content-Type, protects against requests of other origins.
 */
export function readBodies(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    if (isUnknownRoute(request)) {
      done(null, '');
      return;
    }
    textOf(payload, request, JSON_BODY_LIMIT).then(
      (text) => done(null, text),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  });
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addHook('preValidation', (request, _reply, done) => {
    const { body } = request;
    if (isUnknownRoute(request)) {
      request.body = {};
      done();
      return;
    }
    if (!isExactQuery(queryOf(request))) {
      done(new SandboxError('invalid', 'the query is not UTF-8', { hint: QUERY_HINT }));
      return;
    }
    if (typeof body === 'object') {
      done();
      return;
    }
    if (typeof body !== 'string' || body.trim() === '') {
      request.body = {};
      done();
      return;
    }
    const excess = jsonExcess(body);
    if (excess !== undefined) {
      done(new SandboxError('invalid', `the body has ${excess}`));
      return;
    }
    void parse(request, body, (error: Error | null, value?: unknown) => {
      if (error) {
        done(new SandboxError('invalid', `the body is not JSON: ${faultOf(body) ?? error.message}`, { cause: error }));
        return;
      }
      if (hasLoneSurrogate(body, value)) {
        done(
          new SandboxError('invalid', 'the body has half of a surrogate pair, which is not Unicode text', BYTES_HINT),
        );
        return;
      }
      request.body = valueWithoutNulls(value);
      if (request.body !== value) nulls.set(request, onlyNulls(value));
      done();
    });
  });
}

/** What the parser of the engine says; undefined: it takes the text. */
function faultOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : undefined;
  }
}

/** In this scope an `application/octet-stream` body reaches the handler as an unread stream without a size limit. */
export function acceptRawBodies(scope: App): void {
  scope.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
}

/** In this scope a body of any Content-Type reaches the handler as an unread stream. */
export function acceptAnyBody(scope: App): void {
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

export function isRawBody(body: unknown): body is Readable {
  return body instanceof Readable;
}

/** Iterates over a body. Stopping early does not destroy the stream, so that a response can still be sent. */
export function piecesOf(body: Readable): AsyncIterable<Buffer> {
  return body.iterator({ destroyOnReturn: false });
}

/**
 * A whole body as UTF-8 text. Uses events, because the iterator of a stream would dominate the cost of a small body.
 * @param limit in bytes
 * @throws SandboxError `too_large` beyond the limit, `invalid` if it is not UTF-8
 */
export function textOf(payload: Readable, request: Pick<FastifyRequest, 'headers'>, limit: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const refuse = (): void =>
    reject(new SandboxError('too_large', `the body is over ${limit} bytes`, { data: { limit } }));
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    refuse();
    return promise;
  }
  const received = new CollectedBytes();
  let length = 0;
  payload.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= limit) received.add(chunk);
    else {
      received.clear();
      refuse();
    }
  });
  payload.once('end', () => {
    const text = exactText(received.take());
    if (text === undefined) reject(new SandboxError('invalid', 'the body is not UTF-8', BYTES_HINT));
    else resolve(text);
  });
  payload.once('error', reject);
  payload.once('close', () => reject(new Error('the connection closed before the end of the body')));
  return promise;
}

/** Its answer is 404, for any body and query. */
function isUnknownRoute({ is404, routeOptions: { config } }: FastifyRequest): boolean {
  return is404 || (config !== undefined && 'isRemoved' in config);
}

function queryOf({ raw: { url = '' } }: FastifyRequest): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}
