import { isUnsendable, neverArrived } from '../daemon/upstream.ts';
import { answerRefusal, cutAnswer } from './answers.ts';
import type { Exchange } from './exchange.ts';

/** Whose answer was expected. */
interface Expected {
  readonly service: string;
  /** What to do where nothing listens. */
  readonly absentHint?: string;
}

const DAEMON: Expected = { service: 'the daemon' };
const ABSENT_HINT = 'it may be starting or restarting: repeat the request shortly';

/** What a client hears when an upstream does not answer; it never gets a cut answer as a whole one. */
export function answerFailure(exchange: Exchange, error: unknown, { service, absentHint }: Expected = DAEMON): void {
  if (exchange.res.headersSent) {
    cutAnswer(exchange);
  } else if (neverArrived(error)) {
    answerRefusal(exchange, 503, {
      message: `${service} is not reachable`,
      hint: absentHint ?? ABSENT_HINT,
      headers: { 'Retry-After': '1' },
    });
  } else if (isUnsendable(error)) {
    answerRefusal(exchange, 400, { message: 'the request has a field or a target that HTTP/1.1 cannot carry' });
  } else {
    answerRefusal(exchange, 502, {
      message: `${service} ended the connection before it answered`,
      hint: 'the request may have been carried out: look before you repeat it',
    });
  }
}
