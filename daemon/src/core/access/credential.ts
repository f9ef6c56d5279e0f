/** What admitted a request, and in whose name a ticket or a cookie was made. */
export interface Credential {
  /**
   * Opaque ids of the key, and of the ticket and the cookie that stand for it. Where one of them is withdrawn, so is the
   * credential; none of them opens anything.
   */
  readonly ids: readonly string[];
  /** The name of the key, if it has one. */
  readonly name?: string;
  /** The scopes of the key; undefined: it is good for everything. */
  readonly scopes?: readonly string[];
}

/** The credential of every request to a service that has no key. */
export const OPEN: Credential = { ids: ['open'] };
