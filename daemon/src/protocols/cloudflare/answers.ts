import type { ServerResponse } from 'node:http';
import { statusOfKind } from '@sandbox/api/http/error-handler.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { FileFailure } from '../../core/files/file-failure.ts';

/** The codes of the bridge by status. */
const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'invalid_request',
  404: 'not_found',
  405: 'invalid_request',
  413: 'payload_too_large',
  429: 'capacity_exceeded',
  501: 'not_implemented',
  503: 'unavailable',
  507: 'disk_full',
};

export const OUTSIDE = 'path must resolve to a location within /workspace';

/** An error that the bridge knows under this status and code. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function errorBody(status: number, message: string, code = CODES[status] ?? 'internal_error'): string {
  return JSON.stringify({ error: message, code });
}

export function sendJson(res: ServerResponse, value: unknown): void {
  sendText(res, 200, JSON.stringify(value));
}

/** Sends the answer of a refusal. @returns its status. @throws any other error */
export function sendFailure(res: ServerResponse, error: unknown): number {
  const { status, message, code } = refusalOf(error);
  if (res.headersSent) res.destroy();
  else sendText(res, status, errorBody(status, message, code));
  return status;
}

function sendText(res: ServerResponse, status: number, body: string): void {
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}

function refusalOf(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (!(error instanceof SandboxError)) throw error;
  // The scopes of the request are the root alone: nothing else refuses without a failure of the system.
  if (error.kind === 'forbidden' && !(error instanceof FileFailure)) return new Refused(403, OUTSIDE);
  const { hint } = error.details;
  const status = error.kind === 'unprocessable' ? 400 : statusOfKind(error.kind);
  return new Refused(status, hint === undefined ? error.message : `${error.message}; ${hint}`);
}
