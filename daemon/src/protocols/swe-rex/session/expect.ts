import { createContext, Script } from 'node:vm';
import { waitFor } from '@sandbox/api/wait.ts';
import { Raised } from '../answers.ts';

/** Milliseconds for one pattern of a client over new output. */
const SEARCH_MS = 500;
/** A search of this time, in milliseconds, is followed by a rest of nine times its own. */
const LONG_MS = 5;
const REST = 9;
const SEARCH = new Script('new RegExp(pattern, "s").exec(text)');
/** Nothing of the service is in reach of a pattern. */
const context = createContext({ pattern: '', text: '' });

/** What ends a wait: a text of ours, one that a number and a semicolon follow, or a pattern of the client. */
export type Awaited = { readonly text: string } | { readonly numbered: string } | { readonly pattern: string };

export interface Found {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/**
 * The one that occurs first. The text has a character a byte. Patterns of one call take a tenth of the time at most.
 * @throws Raised for a pattern that is wrong or slow
 */
export async function firstOf(
  awaited: readonly Awaited[],
  text: string,
  from: number,
  gone: AbortSignal,
): Promise<Found | undefined> {
  let first: Found | undefined;
  for (const [index, one] of awaited.entries()) {
    const begun = performance.now();
    const found = positionOf(one, text, from);
    if (found && (first === undefined || found.start < first.start)) first = { index, ...found };
    const spent = performance.now() - begun;
    if (spent > LONG_MS) await waitFor(new Promise(() => undefined), { ms: spent * REST, signal: gone });
  }
  return first;
}

function positionOf(one: Awaited, text: string, from: number): Omit<Found, 'index'> | undefined {
  if ('pattern' in one) return search(one.pattern, text, from);
  if ('text' in one) return literal(one.text, text, from);
  const found = literal(one.numbered, text, from);
  const number = found && /^\d{1,3};/.exec(text.slice(found.end, found.end + 4));
  return number ? { start: found.start, end: found.end + number[0].length } : undefined;
}

function literal(wanted: string, text: string, from: number): Omit<Found, 'index'> | undefined {
  const start = text.indexOf(wanted, from);
  return start < 0 ? undefined : { start, end: start + wanted.length };
}

/** In a context of its own with a time, since a pattern may take longer than the sandbox lives. */
function search(pattern: string, text: string, from: number): Omit<Found, 'index'> | undefined {
  Object.assign(context, { pattern: Buffer.from(pattern).toString('latin1'), text: text.slice(from) });
  try {
    const match = SEARCH.runInContext(context, { timeout: SEARCH_MS }) as RegExpExecArray | null;
    if (match === null) return undefined;
    const start = from + match.index;
    return { start, end: start + String(match[0]).length };
  } catch (error) {
    // It may be an error of the other context.
    const { code } = Object(error) as { readonly code?: string };
    const isSlow = code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    const why = isSlow ? `takes over ${SEARCH_MS} ms` : 'is not a regular expression';
    throw new Raised('ValueError', `expect: the pattern '${pattern}' ${why}`);
  }
}
