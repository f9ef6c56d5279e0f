import { nearestField } from './nearest-field.ts';

/** Unknown fields that an answer names; names of known ones if none is near. */
export const MAX_NAMED = 20;

/** Fields with these names in front are for others: proxies, trackers, the client itself. */
const FOREIGN = /^(?:x-|_|utm_)/i;
const CREDENTIALS: ReadonlySet<string> = new Set(['api_key', 'ticket']);

/** Whether a field is for others than the call. @param mayHaveCredentials whether the service reads them there */
export function isForeignField(name: string, mayHaveCredentials: boolean): boolean {
  return FOREIGN.test(name) || (mayHaveCredentials && CREDENTIALS.has(name));
}

/** Names an unknown field, and the one that it most likely stands for, else those that are valid in its place. */
export function unknownFieldMessage(name: string, known: readonly string[], place: string): string {
  const near = nearestField(name, known);
  if (near !== undefined) return `unknown field ${name}; did you mean ${near}?`;
  if (known.length === 0) return `unknown field ${name}; this call has no field in its ${place}`;
  const more = known.length > MAX_NAMED ? ', …' : '';
  if (known.length === 1) return `unknown field ${name}; the only field is ${known[0]}`;
  return `unknown field ${name}; the fields are ${known.slice(0, MAX_NAMED).join(', ')}${more}`;
}
