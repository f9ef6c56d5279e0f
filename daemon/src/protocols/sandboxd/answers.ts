import type { ServerResponse } from 'node:http';
import { statusOfKind } from '@sandbox/api/http/error-handler.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { FileFailure } from '../../core/files/file-failure.ts';

/** The codes of the protocol by status. */
const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'CONFLICT',
  413: 'RESOURCE_EXHAUSTED',
  416: 'OUT_OF_RANGE',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  507: 'RESOURCE_EXHAUSTED',
};

/** An error that the protocol knows under this status. */
export class Refused extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export function errorBody(status: number, message: string): string {
  return JSON.stringify({ code: CODES[status] ?? 'INTERNAL', message });
}

export function sendJson(res: ServerResponse, status: number, body: string, headers: object = {}): void {
  const length = Buffer.byteLength(body);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers }).end(body);
}

/** Sends the answer of a refusal. @throws any other error */
export function sendFailure(res: ServerResponse, error: unknown): void {
  const { status, message, headers } = refusalOf(error);
  if (res.headersSent) res.destroy();
  else sendJson(res, status, errorBody(status, message), headers);
}

/** @throws any error that is a defect */
export function refusalOf(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (!(error instanceof SandboxError)) throw error;
  // The scopes of the request are the root alone: nothing else refuses without a failure of the system.
  if (error.kind === 'forbidden' && !(error instanceof FileFailure)) {
    return new Refused(403, 'the path leads out of the root of the sandbox');
  }
  const { hint } = error.details;
  const status = error.kind === 'unprocessable' ? 400 : statusOfKind(error.kind);
  return new Refused(status, hint === undefined ? error.message : `${error.message}; ${hint}`);
}
