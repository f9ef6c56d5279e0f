import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { workOnAnswer } from '../../../core/answers/answer-hold.ts';
import { isCdpFailure } from '../cdp/cdp-failure.ts';
import type { Protocol } from '../cdp/cdp-types.ts';
import type { Tab } from '../tabs/tab.ts';
import { done, type Outcome, undone } from './outcome.ts';
import { PageException } from './world.ts';

/** Largest result, in bytes of JSON. */
export const RESULT_MAX = 8 * 1024 ** 2;
/** Milliseconds for what ends a script that takes too long. */
const END_MS = 2000;

export interface EvaluateTerms {
  readonly expression: string;
  readonly awaitPromise: boolean;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

export interface Evaluated {
  readonly tabId: string;
  readonly result: unknown;
  /** `typeof`, or the kind of object: `null`, `array`, `node`, `error`. */
  readonly type: string;
}

/**
 * Evaluates an expression in the world of the page. What it throws, and a result that cannot be had, is an outcome
 * without success, since the script has run.
 */
export async function evaluate(tab: Tab, terms: EvaluateTerms): Promise<Outcome<Evaluated>> {
  await tab.usable();
  const nothing = { tabId: tab.id, result: null, type: 'undefined' };
  try {
    const { result, exceptionDetails } = await run(tab, terms);
    if (exceptionDetails) {
      const { message } = new PageException(exceptionDetails);
      return undone({ ...nothing, type: 'error' }, firstLine(message), message.includes('\n') ? message : null);
    }
    return finished(tab, result);
  } catch (error) {
    if (isCdpFailure(error, 'timeout')) {
      await tab.send('Runtime.terminateExecution', undefined, END_MS).catch(() => undefined);
      return undone(nothing, `no result within ${terms.timeoutMs / 1000} s; the script was ended`, error.details.hint);
    }
    if (isCdpFailure(error, 'dialog', 'crashed', 'closed')) {
      return undone(nothing, `no result: ${error.message}`, error.details.hint);
    }
    if (isCdpFailure(error, 'protocol')) return unavailable(nothing, error.message);
    throw error;
  }
}

async function run(tab: Tab, terms: EvaluateTerms): Promise<Protocol.Runtime.EvaluateResponse> {
  const { expression, awaitPromise, timeoutMs } = terms;
  const request = { expression, awaitPromise, returnByValue: true, userGesture: true };
  const answer = await tab.send('Runtime.evaluate', request, timeoutMs);
  const isAwait = expression.includes('await') && answer.exceptionDetails?.exception?.className === 'SyntaxError';
  // A script that does not compile has not begun: with `await` at its top level it compiles in this mode.
  return isAwait ? tab.send('Runtime.evaluate', { ...request, replMode: true }, timeoutMs) : answer;
}

function finished(tab: Tab, remote: Protocol.Runtime.RemoteObject): Outcome<Evaluated> {
  const result = remote.value ?? remote.unserializableValue ?? null;
  const type = Array.isArray(result) ? 'array' : (remote.subtype ?? remote.type);
  const tabId = tab.id;
  const size = sizeOf(result);
  if (size > RESULT_MAX) {
    const hint = 'return less, or write it to a file by a download';
    return undone({ tabId, result: null, type }, `the result is over ${RESULT_MAX} bytes`, hint);
  }
  try {
    workOnAnswer(size)[Symbol.dispose]();
  } catch (error) {
    if (error instanceof SandboxError) return undone({ tabId, result: null, type }, error.message, error.details.hint);
    throw error;
  }
  return done({ tabId, result, type }, `evaluated to ${type}`);
}

/** UTF-16 units of the result in an answer; 0 for a small one. */
function sizeOf(result: unknown): number {
  if (typeof result === 'string') return result.length;
  return typeof result === 'object' && result !== null ? JSON.stringify(result).length : 0;
}

function unavailable(nothing: Evaluated, message: string): Outcome<Evaluated> {
  if (/reference chain|serializ|cloned/i.test(message)) {
    const hint = 'return numbers, texts, lists or plain objects';
    return undone({ ...nothing, type: 'object' }, 'the result cannot be written as JSON', hint);
  }
  return undone(nothing, message, 'the page may have been left meanwhile');
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** @throws SandboxError `invalid` for an expression without text */
export function requireExpression(expression: string): void {
  if (expression.trim() === '') throw new SandboxError('invalid', 'is empty', { field: 'expression' });
}
