import { answerRefusal, cutAnswer } from './answers.ts';
import type { Exchange } from './exchange.ts';
import { isUnsendable, neverArrived } from './upstream.ts';

/** What a client hears when the daemon does not answer; it never gets a cut answer as a whole one. */
export function answerFailure(exchange: Exchange, error: unknown): void {
  if (exchange.res.headersSent) {
    cutAnswer(exchange);
  } else if (neverArrived(error)) {
    answerRefusal(exchange, 503, {
      message: 'the daemon is not reachable',
      hint: 'it may be starting or restarting: repeat the request shortly',
      headers: { 'Retry-After': '1' },
    });
  } else if (isUnsendable(error)) {
    answerRefusal(exchange, 400, { message: 'the request has a field or a target that HTTP/1.1 cannot carry' });
  } else {
    answerRefusal(exchange, 502, {
      message: 'the daemon ended the connection before it answered',
      hint: 'the request may have been carried out: look before you repeat it',
    });
  }
}
