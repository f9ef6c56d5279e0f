import type { ServerResponse } from 'node:http';
import { statusOfKind } from '@sandbox/api/http/error-handler.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { ProtocolCall } from '../../http/protocols/protocol.ts';
import type { Addressed } from './access/plane.ts';
import type { SandboxRecord } from './state/sandboxes.ts';

/** A request whose sandbox and service are known. */
export interface E2bCall extends ProtocolCall, Addressed {
  /** Undefined if it names none and not exactly one is alive. */
  readonly sandbox: SandboxRecord | undefined;
  /** Fires when the client has left before its answer was sent. */
  readonly gone: AbortSignal;
}

/** What clients see of a call during which its sandbox ended; programs look for the words of E2B. */
export function endedMessage(sandboxId: string | undefined): string {
  return `the sandbox was killed or reached its end of life: ${sandboxId}`;
}

/** The error body of E2B's control plane and of envd. */
export function errorBody(status: number, message: string): string {
  return JSON.stringify({ code: status, message });
}

export function sendJson(res: ServerResponse, status: number, value: unknown, headers: object = {}): void {
  sendText(res, status, JSON.stringify(value), headers);
}

export function sendText(res: ServerResponse, status: number, body: string, headers: object = {}): void {
  const length = Buffer.byteLength(body);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers }).end(body);
}

/** Answers what a service has refused. @throws what is a defect */
export function sendFailure(res: ServerResponse, error: unknown): void {
  if (!(error instanceof SandboxError)) throw error;
  const { kind, message, details } = error;
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const text = details.hint === undefined ? message : `${message}; ${details.hint}`;
  const status = kind === 'unprocessable' ? 400 : statusOfKind(kind);
  sendText(res, status, errorBody(status, text), kind === 'capacity' ? { 'should-retry': 'false' } : {});
}
