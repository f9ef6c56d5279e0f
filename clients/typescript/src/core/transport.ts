import { type Checked, SHAPES } from '../wire.ts';
import { Attempts } from './attempts.ts';
import { type Answer, textOfAnswer, textOfError } from './body.ts';
import { Watchdog } from './cancel.ts';
import { failureOf, OutcomeUnknown, RequestFailed, SandboxError } from './errors.ts';
import type { Settings } from './settings.ts';
import { jsonOf, type Shape, shaped } from './shape.ts';

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

/** A call waits up to 60 s, and a stream has a heartbeat every 15 s. */
export const SILENCE = 90;
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

  /** The field `data` of a JSON answer, which has the named shape. */
  async data<Name extends keyof Checked>(path: string, name: Name, call: Call = {}): Promise<Checked[Name]> {
    return await this.call(path, call, (answer) => dataOf(answer, name));
  }

  /** A call whose answer has nothing of interest. */
  async send(path: string, call: Call = {}): Promise<void> {
    await this.call(path, call, async (answer) => {
      const envelope = shaped<Refusal>(jsonOf(await textOfAnswer(answer)), {}, 'the answer');
      if (envelope.success === false) throw refused(envelope);
    });
  }

  /** A JSON answer of the shape. */
  async json<T>(path: string, shape: Shape, call: Call = {}): Promise<T> {
    return await this.call(path, call, async (answer) =>
      shaped<T>(jsonOf(await textOfAnswer(answer)), shape, 'the answer'),
    );
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
    const { retryFor, onRetry } = this.settings;
    return new Attempts(call.retryFor ?? retryFor, call.signal, onRetry);
  }

  /** Waits for the next attempt. @throws the error that ends the call */
  async again(error: unknown, call: Call, attempts: Attempts): Promise<void> {
    call.signal?.throwIfAborted();
    if (!mayRepeat(error, call)) throw finalError(error, call);
    await attempts.pause(error);
  }

  /** One attempt. */
  async open(path: string, call: Call): Promise<Answer> {
    const { silence = SILENCE } = call;
    const watchdog = new Watchdog(call.signal, 1000 * Math.min(silence, this.settings.answerWithin));
    try {
      const init = { ...this.#init(call), signal: watchdog.signal };
      const response = await this.settings.fetch(this.url(path, call.query), init);
      watchdog.allow(1000 * silence);
      const answer = { response, touch: () => watchdog.touch(), [Symbol.dispose]: () => watchdog.end() };
      if (!response.ok) throw await this.#failed(path, call, answer);
      return answer;
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

  async #failed(path: string, { method = 'GET' }: Call, answer: Answer): Promise<RequestFailed> {
    const { status, headers } = answer.response;
    const header = (name: string): string | null => headers.get(name);
    const text = await textOfError(answer);
    answer[Symbol.dispose]();
    return new RequestFailed(failureOf({ status, header, text, request: `${method} ${path}` }));
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

/** The field `data` of a JSON answer. */
export async function dataOf<Name extends keyof Checked>(answer: Answer, name: Name): Promise<Checked[Name]> {
  const envelope = jsonOf(await textOfAnswer(answer));
  const { success, data } = shaped<Refusal>(envelope, {}, 'the answer');
  if (success === false && data === null) throw refused(envelope as Refusal);
  return shaped<{ readonly data: Checked[Name] }>(envelope, { data: SHAPES[name] }, 'the answer').data;
}

/** An answer with status 200 to what was understood and could not be done, such as an action on a page. */
interface Refusal {
  readonly success?: unknown;
  readonly data?: unknown;
  readonly message?: unknown;
  readonly hint?: unknown;
}

function refused({ message, hint }: Refusal): SandboxError {
  const text = typeof message === 'string' && message !== '' ? message : 'the service could not do it';
  return new SandboxError(text, { hint: typeof hint === 'string' ? hint : null });
}
