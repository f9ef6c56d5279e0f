import { closeWhenRead } from '@sandbox/program/close-when-read.ts';
import { hasBody } from '@sandbox/program/has-body.ts';
import type { App } from '../app-types.ts';

/**
 * An answer that comes while its request is still being sent ends the connection, once the client has read it: nobody
 * reads the rest of the body, so that no other request could follow it.
 */
export function endAfterEarlyAnswers(app: App): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.raw.complete === false && hasBody(request.raw)) reply.headers(closeWhenRead(request.raw, reply.raw));
    done(null, payload);
  });
}
