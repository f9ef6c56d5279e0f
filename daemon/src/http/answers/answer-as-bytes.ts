import type { App } from '@sandbox/api/http/app-types.ts';

const BYTES = 'application/octet-stream';
const TEXTUAL = /^(?:application\/json|application\/x-ndjson|text\/event-stream)/;

/**
 * Sends files, archives and pictures as `application/octet-stream` to a client that accepts nothing else, on routes
 * whose description has that type: generators of clients know no type of every picture and archive.
 */
export function answerAsBytes(scope: App): void {
  scope.addHook('onSend', (request, reply, payload, done) => {
    const { produces = [] } = request.routeOptions.schema ?? {};
    const type = String(reply.getHeader('content-type') ?? '');
    const isFit = request.headers.accept === BYTES && produces.includes(BYTES) && reply.statusCode < 300;
    if (isFit && type !== '' && !TEXTUAL.test(type)) void reply.header('content-type', BYTES);
    done(null, payload);
  });
}
