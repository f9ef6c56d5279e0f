import { isMalformedAnswer, isUnreached, isUnsendable, SilentUpstream } from '../net/connection-errors.ts';
import type { Exchange } from './exchange.ts';
import { abortResponse, sendError } from './responses.ts';

interface FailedUpstream {
  /** Name for clients. */
  readonly service: string;
  /** Hint if nothing listens at the address. */
  readonly absentHint?: string;
}

const DAEMON: FailedUpstream = { service: 'the daemon' };
const ABSENT_HINT = 'it may be starting or restarting: retry shortly';

/** Responds to a failed upstream: 400, 502 or 503; a response that has started is aborted. */
export function sendUpstreamError(
  exchange: Exchange,
  error: unknown,
  { service, absentHint }: FailedUpstream = DAEMON,
): void {
  exchange.access.byDaemon = false;
  if (!isUnsendable(error)) exchange.upstreamFailed?.();
  if (exchange.res.headersSent) {
    abortResponse(exchange);
  } else if (isUnreached(error)) {
    sendError(exchange, 503, {
      message: `${service} is not reachable`,
      hint: absentHint ?? ABSENT_HINT,
      headers: { 'Retry-After': '1' },
    });
  } else if (error instanceof SilentUpstream) {
    sendError(exchange, 503, {
      message: `${service} did not respond`,
      hint: absentHint ?? ABSENT_HINT,
      headers: { 'Retry-After': '1' },
    });
  } else if (isUnsendable(error)) {
    sendError(exchange, 400, {
      message: 'the request target or a header contains invalid characters',
      hint: 'encode blanks and control characters of the path and the query',
    });
  } else if (isMalformedAnswer(error)) {
    sendError(exchange, 502, {
      message: `the answer of ${service} is not valid HTTP`,
      hint: 'the request may have been carried out: check before you retry',
    });
  } else {
    sendError(exchange, 502, {
      message: `${service} closed the connection before it responded`,
      hint: 'the request may have been carried out: check before you retry',
    });
  }
}
