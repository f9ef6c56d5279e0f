import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { isCdpFailure } from '../cdp/cdp-failure.ts';
import type { CdpSession } from '../cdp/cdp-session.ts';
import { done, type Outcome, undone } from './outcome.ts';

/** JSON-RPC 2.0 §5.1: no such method, wrong parameters. */
const REFUSED: ReadonlySet<number | undefined> = new Set([-32_601, -32_602, -32_600]);

/**
 * Calls a method that the caller names. What the browser refuses before it begins is an error; what fails later, or has
 * no answer in time, is an outcome without success.
 */
export async function rawCall(
  session: CdpSession,
  method: string,
  params: object,
  ms: number,
): Promise<Outcome<unknown>> {
  try {
    return done(await session.sendRaw(method, params, ms), method);
  } catch (error) {
    if (!isCdpFailure(error)) throw error;
    const { code, message, details } = error;
    if (error.reason === 'protocol' && REFUSED.has(code)) {
      throw new SandboxError('invalid', message, {
        hint: 'chromedevtools.github.io/devtools-protocol has the methods',
      });
    }
    const data = error.reason === 'protocol' ? { error: { code, message } } : null;
    return undone(data, message, details.hint ?? null);
  }
}
