import { closeWhenRead } from '@sandbox/program/close-when-read.ts';
import { hasBody } from '@sandbox/program/has-body.ts';
import type { App } from '../app-types.ts';

/**
 * Closes the connection after a response that is sent before the end of the request body, once the client has read it:
 * the rest of the body stays unread, so no further request can follow on the connection.
 */
export function endAfterEarlyAnswers(app: App): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.raw.complete === false && hasBody(request.raw)) reply.headers(closeWhenRead(request.raw, reply.raw));
    done(null, payload);
  });
}
