/** Close code and reason of a WebSocket whose credential was withdrawn (private use, RFC 6455 §7.4.2). */
export const WITHDRAWN = { code: 4401, reason: 'the credential of this connection was withdrawn' } as const;

/** Of a request that was not answered yet when its credential was withdrawn. */
export const WITHDRAWN_ANSWER = {
  message: 'the credential of this request was withdrawn',
  hint: 'send another key; what the call had started may run on: look before you repeat it',
} as const;

/** Header of an access decision: a cursor and the ids of the credential, as `GET /internal/credentials` has them. */
export const CREDENTIAL = 'x-credential';

/** Header of an access decision: the request may watch, and sends no input. */
export const VIEW_ONLY = 'x-view-only';

/** Header of a refusal: the scopes of which one would do. */
export const MISSING_SCOPE = 'x-missing-scope';
