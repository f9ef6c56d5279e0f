import { randomUUID } from 'node:crypto';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** The client's id if it has 1 to 128 visible ASCII characters, otherwise a new one. */
export function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && VISIBLE_ASCII.test(sent) ? sent : randomUUID();
}
