import { Attempts } from './attempts.ts';
import { Watchdog } from './cancel.ts';
import { failureOf, OutcomeUnknown, RequestFailed, SandboxError } from './errors.ts';
import type { Settings } from './settings.ts';

export type QueryValue = string | number | boolean | undefined;

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly bytes?: Uint8Array<ArrayBuffer> | Blob;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Whether the call may be carried out twice; default: unless it is a POST or PATCH. */
  readonly repeatable?: boolean;
  /** Seconds without a byte of the answer after which the connection counts as lost. */
  readonly silence?: number;
  /** Seconds; default: that of the connection. */
  readonly retryFor?: number;
}

/** An answer that is read as it arrives. Disposed, it ends its connection unless it was read to its end. */
export interface Answer extends Disposable {
  readonly response: Response;
  /** Called for each piece: the connection lives. */
  readonly touch: () => void;
}

/** A call waits up to 60 s, and a stream has a heartbeat every 15 s. */
const SILENCE = 90;
/** The request was not sent. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ConnectionRefused',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Sends requests; repeats those that can be repeated until there is an answer or the time is over. */
export class Transport {
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** The field `data` of a JSON answer. */
  async data<T>(path: string, call: Call = {}): Promise<T> {
    return (await this.json<{ readonly data: T }>(path, call)).data;
  }

  async json<T>(path: string, call: Call = {}): Promise<T> {
    return await this.call(path, call, async ({ response }) => jsonOf<T>(await response.text()));
  }

  /**
   * Sends a request and reads its answer, again from the request on if the connection is cut in between.
   * @throws RequestFailed, ConnectionLost, OutcomeUnknown, the reason of the signal
   */
  async call<T>(path: string, call: Call, read: (answer: Answer) => Promise<T>): Promise<T> {
    const attempts = this.attempts(call);
    for (;;) {
      try {
        using answer = await this.open(path, call);
        return await read(answer);
      } catch (error) {
        await this.again(error, call, attempts);
      }
    }
  }

  attempts(call: Pick<Call, 'retryFor' | 'signal'>): Attempts {
    return new Attempts(call.retryFor ?? this.settings.retryFor, call.signal);
  }

  /** Waits for the next attempt. @throws the error that ends the call */
  async again(error: unknown, call: Call, attempts: Attempts): Promise<void> {
    call.signal?.throwIfAborted();
    if (!mayRepeat(error, call)) throw finalError(error, call);
    await attempts.pause(error);
  }

  /** One attempt. */
  async open(path: string, call: Call): Promise<Answer> {
    const watchdog = new Watchdog(call.signal, (call.silence ?? SILENCE) * 1000);
    try {
      const init = { ...this.#init(call), signal: watchdog.signal };
      const response = await this.settings.fetch(this.url(path, call.query), init);
      if (!response.ok) {
        const header = (name: string): string | null => response.headers.get(name);
        throw new RequestFailed(failureOf(response.status, header, await response.text()));
      }
      return { response, touch: () => watchdog.touch(), [Symbol.dispose]: () => watchdog.end() };
    } catch (error) {
      watchdog[Symbol.dispose]();
      throw error;
    }
  }

  /** The address of a path, with the ticket if the client has one. */
  url(path: string, query: Readonly<Record<string, QueryValue>> = {}): string {
    const { base, ticket } = this.settings;
    const fields = Object.entries({ ticket, ...query }).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)])).toString();
    return base + path + (text === '' ? '' : `?${text}`);
  }

  /** Of each request; the key is among them. */
  headers(): Record<string, string> {
    const { apiKey, headers } = this.settings;
    return { ...headers, ...(apiKey !== undefined && { 'x-api-key': apiKey }) };
  }

  #init({ method = 'GET', json, bytes, headers }: Call): RequestInit {
    return {
      method,
      headers: {
        ...this.headers(),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(bytes !== undefined && { 'content-type': 'application/octet-stream' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(bytes !== undefined && { body: bytes }),
      redirect: 'manual',
    };
  }
}

/**
 * 429 and 503 with Retry-After come before a call has begun. 502 and 504 are those of a proxy, whose connection to the
 * service was cut.
 */
function mayRepeat(error: unknown, call: Call): boolean {
  if (error instanceof RequestFailed) {
    if (error.status === 429 || error.status === 503) return error.retryAfter !== null;
    return isRepeatable(call) && [408, 502, 504].includes(error.status);
  }
  if (error instanceof SandboxError) return false;
  return isRepeatable(call) || isUnsent(error);
}

function isRepeatable({ method = 'GET', repeatable }: Call): boolean {
  return repeatable ?? (method !== 'POST' && method !== 'PATCH');
}

function isUnsent(error: unknown): boolean {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  return UNSENT.has(String(cause?.code ?? code)) || /client error \(Connect\)/.test(String(error));
}

function finalError(error: unknown, call: Call): unknown {
  const isAnswer = error instanceof SandboxError && !(error instanceof RequestFailed && isOfProxy(error));
  if (isAnswer || isRepeatable(call)) return error;
  return new OutcomeUnknown('the connection was cut before the answer: the call may have been carried out', {
    hint: 'look at its effect before you repeat it',
    cause: error,
  });
}

function isOfProxy({ status }: RequestFailed): boolean {
  return status === 502 || status === 504;
}

function jsonOf<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new SandboxError('the answer is not JSON', {
      hint: 'look whether the address is that of a sandbox',
      cause: error,
    });
  }
}
