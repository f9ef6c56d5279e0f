/** What a failed answer of the service says. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly hint: string | null;
  /** The field of the request that is wrong, such as `command`. */
  readonly field: string | null;
  readonly data: unknown;
  readonly requestId: string | null;
  /** Seconds; null without the header Retry-After. */
  readonly retryAfter: number | null;
}

/** Every error of this package. `hint` names the next step. */
export class SandboxError extends Error {
  override readonly name: string = 'SandboxError';
  readonly hint: string | null;

  constructor(message: string, options: { readonly hint?: string | null; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint ?? null;
  }
}

/** The service answered with an error status. */
export class RequestFailed extends SandboxError {
  override readonly name = 'RequestFailed';
  readonly status: number;
  readonly field: string | null;
  readonly data: unknown;
  readonly requestId: string | null;
  readonly retryAfter: number | null;

  constructor(failure: Failure) {
    super(failure.message, { hint: failure.hint });
    this.status = failure.status;
    this.field = failure.field;
    this.data = failure.data;
    this.requestId = failure.requestId;
    this.retryAfter = failure.retryAfter;
  }
}

/** Whether the service answered that what the request names does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof RequestFailed && error.status === 404;
}

/** For the end of something that may have ended by itself. @throws any other error */
export function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** No connection for longer than `retryFor`. */
export class ConnectionLost extends SandboxError {
  override readonly name = 'ConnectionLost';
}

/**
 * The connection was cut while a call ran that must not run twice, so that it was not repeated. It may have been
 * carried out.
 */
export class OutcomeUnknown extends SandboxError {
  override readonly name = 'OutcomeUnknown';
}

/** An answer with an error status. */
interface FailedAnswer {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly text: string;
  /** Method and path. */
  readonly request: string;
}

/** What a failed answer says. It may be that of a proxy, or of another service. */
export function failureOf({ status, header, text, request }: FailedAnswer): Failure {
  const body = objectIn(text);
  // MCP has its message in the error of JSON-RPC.
  const message = textIn(body) ?? textIn(body['error']);
  const seconds = Number(header('retry-after') ?? Number.NaN);
  const location = header('location');
  return {
    status,
    message: message ?? `${request} was answered with ${statusText(status, location)}`,
    hint: typeof body['hint'] === 'string' ? body['hint'] : message === undefined ? hintOf(status, location) : null,
    field: fieldOf(body['errors']),
    data: body['data'] ?? body['error'] ?? null,
    requestId: header('x-request-id'),
    retryAfter: Number.isFinite(seconds) ? seconds : null,
  };
}

function statusText(status: number, location: string | null): string {
  // A page does not see the status of a redirect.
  if (status === 0) return 'a redirect';
  return location === null ? `status ${status}` : `status ${status}, a redirect to ${location}`;
}

/** The next step for an answer that has none. */
function hintOf(status: number, location: string | null): string {
  if (location !== null || status === 0) {
    return 'redirects are not followed, since the key would be sent with them: give the address to which it leads';
  }
  if (status === 401 || status === 407) return 'give the key of the service, and what a proxy before it wants';
  if (status === 403) return 'look whether the key, or a proxy before the service, permits this';
  if (status === 404 || status === 405) return 'look whether the address is that of a sandbox';
  if (status === 413) return 'a proxy before the service limits the size of requests';
  if (status === 429 || status === 503) return 'try again later';
  if (status >= 500) return 'look at the log of the service, and of a proxy before it';
  return 'look whether the address is that of a sandbox, and whether its version fits this client';
}

/** The field `message` of an error. */
function textIn(error: unknown): string | undefined {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' && message !== '' ? message : undefined;
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** `command` of `[{ location: ['body', 'command'] }]`. */
function fieldOf(errors: unknown): string | null {
  const [first] = Array.isArray(errors) ? (errors as readonly { readonly location?: unknown }[]) : [];
  const location = first?.location;
  if (typeof location === 'string') return location;
  return Array.isArray(location) ? location.slice(1).join('.') || null : null;
}
