import { Raised } from '../answers.ts';
import type { SearchThread } from './search-thread.ts';

/** Milliseconds of all patterns of a call for one piece of output, at first and then beside other slow ones. */
const QUICK_MS = 50;
const PATIENT_MS = 500;

/** What ends a wait: a text of ours, one that a number and a semicolon follow, or a pattern of the client. */
export type Awaited = { readonly text: string } | { readonly numbered: string } | { readonly pattern: string };

export interface Found {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** Finds what ends a wait, patterns in threads: one that is slow delays only other slow ones. */
export class Expect {
  #threads: Promise<{ readonly quick: SearchThread; readonly patient: SearchThread }> | undefined;

  /**
   * The one that occurs first. The text has a character a byte.
   * @throws Raised for a pattern that is wrong or slow, the reason of the signal
   */
  async firstOf(
    awaited: readonly Awaited[],
    text: string,
    from: number,
    gone: AbortSignal,
  ): Promise<Found | undefined> {
    let first: Found | undefined;
    const patterns: { readonly pattern: string; readonly at: number }[] = [];
    for (const [index, one] of awaited.entries()) {
      const found = 'pattern' in one ? undefined : positionOf(one, text, from);
      if ('pattern' in one) patterns.push({ pattern: one.pattern, at: index });
      else if (found && (first === undefined || found.start < first.start)) first = { index, ...found };
    }
    if (patterns.length === 0) return first;
    const match = await this.#search(patterns, text, from, gone);
    if (match === undefined) return first;
    const isFirst = first === undefined || match.start < first.start;
    return isFirst || (match.start === first?.start && match.index < first.index) ? match : first;
  }

  async #search(
    patterns: readonly { readonly pattern: string; readonly at: number }[],
    whole: string,
    from: number,
    gone: AbortSignal,
  ): Promise<Found | undefined> {
    this.#threads ??= started();
    const { quick, patient } = await this.#threads;
    const search = { patterns: patterns.map(({ pattern }) => pattern), text: whole.slice(from) };
    let end = await quick.find(search, gone);
    if (end.kind === 'slow') end = await patient.find(search, gone);
    if (end.kind === 'none') return undefined;
    if (end.kind === 'slow') throw new Raised('ValueError', `expect: the search takes over ${PATIENT_MS} ms`);
    const { pattern = '', at: index = 0 } = patterns[end.index] ?? {};
    if (end.kind === 'wrong') {
      throw new Raised('ValueError', `expect: the pattern '${pattern}' is not a regular expression`);
    }
    return { index, start: from + end.start, end: from + end.end };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { quick, patient } = (await this.#threads) ?? {};
    await quick?.[Symbol.asyncDispose]();
    await patient?.[Symbol.asyncDispose]();
  }
}

async function started(): Promise<{ readonly quick: SearchThread; readonly patient: SearchThread }> {
  const { SearchThread } = await import('./search-thread.ts');
  return { quick: new SearchThread(QUICK_MS), patient: new SearchThread(PATIENT_MS) };
}

function positionOf(
  one: Exclude<Awaited, { readonly pattern: string }>,
  text: string,
  from: number,
): Omit<Found, 'index'> | undefined {
  if ('text' in one) return literal(one.text, text, from);
  const found = literal(one.numbered, text, from);
  const number = found && /^\d{1,3};/.exec(text.slice(found.end, found.end + 4));
  return number ? { start: found.start, end: found.end + number[0].length } : undefined;
}

function literal(wanted: string, text: string, from: number): Omit<Found, 'index'> | undefined {
  const start = text.indexOf(wanted, from);
  return start < 0 ? undefined : { start, end: start + wanted.length };
}
