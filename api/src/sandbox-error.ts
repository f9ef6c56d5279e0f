/** What went wrong, in the words of the domain. `http/error-handler.ts` maps each kind to its status. */
export type ErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'precondition'
  | 'too_large'
  | 'unprocessable'
  | 'capacity'
  | 'unsupported'
  | 'unavailable'
  | 'disk_full'
  | 'io';

export interface ErrorDetails {
  /** The field of the request that is wrong, in camelCase; the message says what is wrong with it. */
  readonly field?: string;
  /** Further facts, keys in camelCase; each surface translates them. */
  readonly data?: unknown;
  /** What the caller can do about it. */
  readonly hint?: string;
  /** Seconds after which the same call may succeed. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** The only error that reaches a client in its own words; anything else is a defect and answers 500. */
export class SandboxError extends Error {
  readonly kind: ErrorKind;
  readonly details: ErrorDetails;

  readonly #text: string;

  /** @param message with `details.field`, what is wrong with the field: `does not exist: /x` */
  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(details.field === undefined ? message : `${details.field} ${message}`, { cause: details.cause });
    this.#text = message;
    this.name = 'SandboxError';
    this.kind = kind;
    this.details = details;
  }

  /** The message with the field under the name that a surface gives it. */
  messageNaming(nameOf: (field: string) => string): string {
    const { field } = this.details;
    return field === undefined ? this.#text : `${nameOf(field)} ${this.#text}`;
  }
}
