/**
 * The end of a call that has begun to act. It is answered with status 200 whatever came of it, because a client would
 * repeat a call that failed: `success` and the message say what was done.
 */
export interface Outcome<T> {
  readonly success: boolean;
  readonly message: string;
  readonly data: T;
  readonly hint: string | null;
}

export function done<T>(data: T, message: string, hint: string | null = null): Outcome<T> {
  return { success: true, message, data, hint };
}

export function undone<T>(data: T, message: string, hint: string | null = null): Outcome<T> {
  return { success: false, message, data, hint };
}
