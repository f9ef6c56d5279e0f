import { link } from './link.ts';

/** An answer that is not a success, in the words of the service. */
export class Refusal extends Error {
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  readonly hint: string | null;
  readonly data: unknown;

  constructor(status: number, { message, hint = null, data = null }: Partial<Envelope> = {}) {
    super(message ?? (status === 0 ? 'the sandbox does not answer' : `status ${status}`));
    this.status = status;
    this.hint = hint;
    this.data = data;
  }

  /** Whether the same call may succeed once the sandbox answers again. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

interface Envelope {
  readonly message: string;
  readonly hint: string | null;
  readonly data: unknown;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** The address of a path of the service, relative to the page, so that it is right below a path prefix. */
export function addressOf(path: string, query: Query = {}): string {
  const url = new URL(path, document.baseURI);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

/**
 * Calls the API.
 * @returns `data` of the envelope
 * @throws Refusal for any answer but a success
 */
export async function call<T>(
  path: string,
  { method = 'GET', query = {}, headers = {}, body, signal }: CallOptions = {},
): Promise<T> {
  const answer = await request(addressOf(path, query), {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  return ((await answer.json()) as { data: T }).data;
}

/** @throws Refusal for any answer but a success */
export async function request(url: string, options: RequestInit): Promise<Response> {
  const answer = await fetch(url, options).catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    link.look();
    throw new Refusal(0);
  });
  if (answer.ok) return answer;
  throw await refusalOf(answer);
}

async function refusalOf(answer: Response): Promise<Refusal> {
  const envelope = (await answer.json().catch(() => ({}))) as Partial<Envelope>;
  const refusal = new Refusal(answer.status, envelope);
  if (answer.status === 401 || refusal.isPassing) link.look();
  return refusal;
}

/** A message for a person: what is wrong and what to do. */
export function wordsOf(error: unknown): string {
  if (error instanceof Refusal) return error.hint ? `${error.message}: ${error.hint}` : error.message;
  return error instanceof Error ? error.message : String(error);
}
