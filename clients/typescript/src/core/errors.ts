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

/** The failure in the body of an answer with an error status; the body may be that of a proxy. */
export function failureOf(status: number, header: (name: string) => string | null, text: string): Failure {
  const body = objectIn(text);
  const message = typeof body['message'] === 'string' ? body['message'] : `HTTP ${status}`;
  const seconds = Number(header('retry-after') ?? Number.NaN);
  return {
    status,
    message,
    hint: typeof body['hint'] === 'string' ? body['hint'] : null,
    field: fieldOf(body['errors']),
    data: body['data'] ?? null,
    requestId: header('x-request-id'),
    retryAfter: Number.isFinite(seconds) ? seconds : null,
  };
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
