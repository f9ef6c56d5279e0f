import { type ErrorDetails, type ErrorKind, SandboxError } from '@sandbox/api/sandbox-error.ts';

/**
 * Why a call of the browser has no result. `protocol`: the browser refused it; `timeout`: no answer by its deadline;
 * `closed`: the tab or frame is gone; `lost`: the connection ended; `dialog`, `crashed`: the tab cannot answer.
 */
export type CdpReason = 'protocol' | 'timeout' | 'closed' | 'lost' | 'dialog' | 'crashed';

const KINDS: Readonly<Record<CdpReason, ErrorKind>> = {
  protocol: 'unavailable',
  timeout: 'unavailable',
  closed: 'not_found',
  lost: 'unavailable',
  dialog: 'conflict',
  crashed: 'unavailable',
};

const HINTS: Readonly<Partial<Record<CdpReason, string>>> = {
  timeout: 'the page or the browser is busy, stopped or paused in a debugger: retry, navigate the tab or close it',
  closed: 'GET tabs lists the open tabs',
  lost: 'the browser ended or is starting again: retry shortly',
  dialog: 'POST dialog with {"accept": true} answers the dialog, false dismisses it',
  crashed: 'POST navigate with {"history": "reload"} or an url revives the tab',
};

/** A call of the browser that failed. */
export class CdpFailure extends SandboxError {
  readonly reason: CdpReason;
  /** Of the protocol's error (JSON-RPC 2.0). */
  readonly code: number | undefined;

  constructor(
    reason: CdpReason,
    message: string,
    { code, ...details }: ErrorDetails & { readonly code?: number } = {},
  ) {
    const hint = HINTS[reason];
    super(KINDS[reason], message, { ...(hint !== undefined && { hint }), ...details });
    this.name = 'CdpFailure';
    this.reason = reason;
    this.code = code;
  }
}

/** Whether the error is a failed call of the browser, for one of the reasons. */
export function isCdpFailure(error: unknown, ...reasons: readonly CdpReason[]): error is CdpFailure {
  return error instanceof CdpFailure && (reasons.length === 0 || reasons.includes(error.reason));
}
