/** Bytes of one response head; an interim response counts separately. */
export const HEAD_BYTES_MAX = 64 * 1024;

/** Message body framing (RFC 9112 §6.3). */
export type Framing =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  /** The body ends with the connection. */
  | { readonly kind: 'until-close' };

/** The parsed status line and headers of a response of the daemon. */
export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  /** Alternating names and values, decoded as latin1. */
  readonly fields: readonly string[];
  readonly framing: Framing;
  /** Milliseconds that the daemon keeps the idle connection; undefined: not stated; 0: the daemon closes it. */
  readonly keepAliveMs: number | undefined;
}

/** A response that is not valid HTTP/1.1 (RFC 9112). */
export class MalformedResponse extends Error {
  readonly code = 'MALFORMED_RESPONSE';
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const FIELD = /^([!#$%&'*+\-.^_`|~\dA-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;
const LENGTH = /^\d{1,15}$/;

/**
 * Parses a response head (RFC 9112 §4, §5) without its empty line. Ambiguous framing is an error (§6.3): at most one
 * Content-Length or Transfer-Encoding header is accepted.
 * @param text decoded as latin1
 * @param method method of the request; a response to HEAD has no body
 * @throws MalformedResponse
 */
export function parseResponseHead(text: string, method: string): ResponseHead {
  const [first = '', ...lines] = text.split('\r\n');
  const [, minor, digits, reason = ''] = STATUS_LINE.exec(first) ?? [];
  if (minor === undefined) throw new MalformedResponse('invalid status line');
  const status = Number(digits);
  const fields: string[] = [];
  const framingHeaders = new FramingHeaders(minor === '1');
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new MalformedResponse('invalid header line');
    const trimmed = withoutOuterBlanks(value);
    fields.push(name, trimmed);
    framingHeaders.add(name.toLowerCase(), trimmed);
  }
  const framing = isBodiless(status, method) ? ({ kind: 'length', length: 0 } as const) : framingHeaders.framing;
  return {
    status,
    reason,
    fields,
    framing,
    keepAliveMs: framing.kind === 'until-close' ? 0 : framingHeaders.keepAliveMs,
  };
}

/** Without optional whitespace (RFC 9110 §5.6.3), which is blanks and tabs alone: 0xa0 is part of a UTF-8 letter. */
function withoutOuterBlanks(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value[start])) start += 1;
  while (end > start && isBlank(value[end - 1])) end -= 1;
  return value.slice(start, end);
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t';
}

/** Responses without content (RFC 9110 §6.4.1). */
function isBodiless(status: number, method: string): boolean {
  return method === 'HEAD' || status < 200 || status === 204 || status === 304;
}

/** Collects the headers that control framing and connection reuse. */
class FramingHeaders {
  #length: number | undefined;
  #chunked = false;
  #isKept: boolean;
  #timeoutMs: number | undefined;

  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  add(name: string, value: string): void {
    if (name === 'content-length') this.#setLength(value);
    else if (name === 'transfer-encoding') this.#setCoding(value);
    else if (name === 'connection' && /(?:^|,)\s*close\s*(?:,|$)/i.test(value)) this.#isKept = false;
    else if (name === 'keep-alive') this.#timeoutMs = timeoutOf(value);
  }

  get framing(): Framing {
    if (this.#chunked) return { kind: 'chunked' };
    return this.#length === undefined ? { kind: 'until-close' } : { kind: 'length', length: this.#length };
  }

  get keepAliveMs(): number | undefined {
    return this.#isKept ? this.#timeoutMs : 0;
  }

  #setLength(value: string): void {
    if (this.#length !== undefined || this.#chunked || !LENGTH.test(value)) {
      throw new MalformedResponse('invalid Content-Length');
    }
    this.#length = Number(value);
  }

  #setCoding(value: string): void {
    if (this.#length !== undefined || this.#chunked || value.toLowerCase() !== 'chunked') {
      throw new MalformedResponse('unsupported Transfer-Encoding');
    }
    this.#chunked = true;
  }
}

function timeoutOf(keepAlive: string): number | undefined {
  const seconds = /(?:^|,)\s*timeout=(\d{1,9})/i.exec(keepAlive)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
