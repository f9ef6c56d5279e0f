const LOST: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);
const UNREACHED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EMFILE',
  'EACCES',
  'EPERM',
  'ENOTSOCK',
  'CONNECT_TIMEOUT',
]);
const UNSENDABLE: ReadonlySet<string> = new Set(['ERR_INVALID_CHAR', 'ERR_UNESCAPED_CHARACTERS']);

/** An upstream's answer that HTTP does not allow. */
export class MalformedAnswer extends Error {
  readonly code = 'MALFORMED_ANSWER';
}

/** An upstream that has accepted a request and not begun its answer in time. */
export class SilentUpstream extends Error {}

/** Whether the upstream sent something other than an answer of HTTP/1.1. */
export function isMalformedAnswer(error: unknown): boolean {
  return /^(?:MALFORMED_|HPE_)/.test(codeOf(error));
}

/** Whether the connection ended before a response; the upstream may have received the request. */
export function isLostConnection(error: unknown): boolean {
  return LOST.has(codeOf(error));
}

/** Whether no byte of the request reached the upstream. */
export function isUnreached(error: unknown): boolean {
  // Connecting to several addresses fails with one error for each.
  const errors = error instanceof AggregateError ? error.errors : [error];
  return errors.every((one) => UNREACHED.has(codeOf(one)));
}

/** Whether the request cannot be written as HTTP/1.1. */
export function isUnsendable(error: unknown): boolean {
  return UNSENDABLE.has(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
