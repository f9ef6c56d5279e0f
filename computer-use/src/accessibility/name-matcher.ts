import { createContext, runInContext } from 'node:vm';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';

export type NameMatch = 'substring' | 'exact' | 'regex';

/** Milliseconds in which a pattern meets all names. */
export const REGEX_MS = 250;

/**
 * Which of the names match. A substring matches in any case; a pattern is one of JavaScript with the flag `u`.
 * @throws SandboxError if the pattern is not one, or takes too long
 */
export function matchNames(names: readonly string[], wanted: string, match: NameMatch): boolean[] {
  if (match === 'exact') return names.map((name) => name === wanted);
  if (match === 'regex') return matchRegex(names, wanted);
  const lower = wanted.toLowerCase();
  return names.map((name) => name.toLowerCase().includes(lower));
}

/** In a context of its own, whose run ends after its time whatever the pattern does. */
function matchRegex(names: readonly string[], pattern: string): boolean[] {
  const context = createContext({ text: JSON.stringify(names), pattern, found: '' });
  try {
    const script = `{ const regex = new RegExp(pattern, 'u');
      found = JSON.parse(text).map((name) => (regex.test(name) ? '1' : '0')).join(''); }`;
    runInContext(script, context, { timeout: REGEX_MS });
  } catch (error) {
    const isLate = Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    const why = isLate ? `takes longer than ${REGEX_MS} ms: use a simpler pattern` : String(Object(error).message);
    throw new SandboxError('unprocessable', why, { field: 'name', cause: error });
  }
  const found = String(context['found']);
  return names.map((_name, index) => found[index] === '1');
}
