/** Bytes of the head of an answer, interim ones not counted. */
export const HEAD_BYTES_MAX = 64 * 1024;

/** What stands between head and body on the wire. */
export type Framing =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  /** The end of the connection is the end of the body. */
  | { readonly kind: 'until-close' };

/** The head of an answer of the daemon's. */
export interface AnswerHead {
  readonly status: number;
  readonly reason: string;
  /** Names and values in turn, a character a byte. */
  readonly fields: readonly string[];
  readonly framing: Framing;
  /** Milliseconds that the connection may stay unused after the answer; undefined: the daemon does not say; 0: it ends. */
  readonly keepAliveMs: number | undefined;
}

/** An answer that is not HTTP/1.1 as RFC 9112 has it. */
export class MalformedAnswer extends Error {
  readonly code = 'MALFORMED_ANSWER';
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const FIELD = /^([!#$%&'*+\-.^_`|~\dA-Za-z]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;
const LENGTH = /^\d{1,15}$/;

/**
 * Reads the head of an answer (RFC 9112 §4, §5) without its empty line. Where two readers might see different ends of
 * a body, nothing is guessed (§6.3): of fields of the framing there is one at most.
 * @param text a character a byte
 * @param method of the request, whose answers to HEAD have no body
 * @throws MalformedAnswer
 */
export function parseAnswerHead(text: string, method: string): AnswerHead {
  const [first = '', ...lines] = text.split('\r\n');
  const [, minor, digits, reason = ''] = STATUS_LINE.exec(first) ?? [];
  if (minor === undefined) throw new MalformedAnswer('the answer does not begin with a status line');
  const status = Number(digits);
  const fields: string[] = [];
  const notes = new Notes(minor === '1');
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new MalformedAnswer('a field of the answer is malformed');
    const trimmed = value.trimEnd();
    fields.push(name, trimmed);
    notes.take(name.toLowerCase(), trimmed);
  }
  const framing = isBodiless(status, method) ? ({ kind: 'length', length: 0 } as const) : notes.framing;
  return { status, reason, fields, framing, keepAliveMs: framing.kind === 'until-close' ? 0 : notes.keepAliveMs };
}

/** RFC 9110 §6.4.1. */
function isBodiless(status: number, method: string): boolean {
  return method === 'HEAD' || status < 200 || status === 204 || status === 304;
}

/** What a head says of the body and of the connection. */
class Notes {
  #length: number | undefined;
  #chunked = false;
  #isKept: boolean;
  #timeoutMs: number | undefined;

  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  take(name: string, value: string): void {
    if (name === 'content-length') this.#takeLength(value);
    else if (name === 'transfer-encoding') this.#takeCoding(value);
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

  #takeLength(value: string): void {
    if (this.#length !== undefined || this.#chunked || !LENGTH.test(value)) {
      throw new MalformedAnswer('the length of the answer is not one');
    }
    this.#length = Number(value);
  }

  #takeCoding(value: string): void {
    if (this.#length !== undefined || this.#chunked || value.toLowerCase() !== 'chunked') {
      throw new MalformedAnswer('the transfer coding of the answer is not chunked');
    }
    this.#chunked = true;
  }
}

function timeoutOf(keepAlive: string): number | undefined {
  const seconds = /(?:^|,)\s*timeout=(\d{1,9})/i.exec(keepAlive)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
