import { queryParts } from '@sandbox/program/query-parts.ts';
import { isCredentialParameter } from '../exchange/target.ts';

/** Query parameter of the key form. Its value is the reason why the form is shown again. No application receives it. */
const MARK = 'svc_sign_in';

/** What was refused: a key, or a link with a ticket. */
export type Refused = 'key' | 'link';

export function hasMark(query: string | undefined): boolean {
  return queryParts(query ?? '').some((part) => nameOf(part) === MARK);
}

/** What was refused before the client was led to the form; undefined for the first form. */
export function refusedOf(query: string | undefined): Refused | undefined {
  const values = new URLSearchParams(query ?? '').getAll(MARK);
  return values.find((value) => value === 'key' || value === 'link');
}

/** The query with the mark instead of credentials and an earlier mark, with its question mark. */
export function withMark(query: string | undefined, refused?: Refused): string {
  const kept = keptParts(query, (name) => name !== MARK && !isCredentialParameter(name));
  const mark = refused === undefined ? MARK : `${MARK}=${refused}`;
  return kept === '' ? `?${mark}` : `?${kept}&${mark}`;
}

/** The query without the mark; undefined if nothing else is left. The rest stays unchanged. */
export function withoutMark(query: string | undefined): string | undefined {
  if (!hasMark(query)) return query;
  return keptParts(query, (name) => name !== MARK) || undefined;
}

function keptParts(query: string | undefined, isKept: (name: string) => boolean): string {
  const parts = queryParts(query ?? '');
  const kept = parts.filter((part) => isKept(nameOf(part))).join('');
  // The separator of a removed last parameter.
  return kept.replace(/[&;]$/, '');
}

function nameOf(part: string): string {
  const [name = ''] = new URLSearchParams(part.replace(/[&;]$/, '')).keys();
  return name;
}
