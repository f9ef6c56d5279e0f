import { randomUUID } from 'node:crypto';

/** An answer of the server itself, outside every route. */
export interface Refusal {
  readonly status: string;
  readonly message: string;
  readonly hint: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const BY_CODE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'the request header section is too long',
    hint: 'send fewer or shorter headers, or long values in the body',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: '413 Payload Too Large',
    message: 'the chunk extensions are too long',
    hint: 'send chunks without extensions',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'the request header section did not arrive in time',
    hint: 'repeat the call; send the header section at once',
  },
};
const MALFORMED: Refusal = {
  status: '400 Bad Request',
  message: 'the request is not valid HTTP/1.1',
  hint: 'use an HTTP client; encode each blank and control character of a path or query',
};

export const NO_TUNNEL: Refusal = {
  status: '405 Method Not Allowed',
  message: 'CONNECT is not supported',
  hint: 'send the request itself; this service is not a proxy',
  headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
};

export const UNKNOWN_CODING: Refusal = {
  status: '501 Not Implemented',
  message: 'the only transfer coding of a request body is chunked',
  hint: 'send Content-Length, or Transfer-Encoding: chunked',
};

/** The answer to a request that the HTTP parser rejects. */
export function refusalOf({ code = '' }: NodeJS.ErrnoException): Refusal {
  return BY_CODE[code] ?? MALFORMED;
}

/** Headers and body; the connection closes afterwards. */
export function contentOf({ message, hint, headers = {} }: Refusal, requestId: string) {
  const body = JSON.stringify({ success: false, message, data: null, hint });
  const fields = {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    Connection: 'close',
  };
  return { fields, body };
}

/** The whole answer as it is written to a socket without a response object. */
export function rawAnswer(refusal: Refusal, requestId: string = randomUUID()): string {
  const { fields, body } = contentOf(refusal, requestId);
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${refusal.status}\r\n${lines.join('')}\r\n${body}`;
}
