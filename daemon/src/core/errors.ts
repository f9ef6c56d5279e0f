/** What went wrong, in the words of the domain. `http/errors.ts` alone knows which status each one is. */
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
  readonly data?: unknown;
  /** What the caller can do about it. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The only error that reaches a client in its own words; anything else is a defect and answers 500. */
export class SandboxError extends Error {
  readonly kind: ErrorKind;
  readonly details: ErrorDetails;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'SandboxError';
    this.kind = kind;
    this.details = details;
  }
}
