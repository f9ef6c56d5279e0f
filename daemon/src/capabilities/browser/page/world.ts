import { CdpFailure, isCdpFailure } from '../cdp/cdp-failure.ts';
import type { CdpSession } from '../cdp/cdp-session.ts';
import type { Protocol } from '../cdp/cdp-types.ts';
import type { Frame } from '../tabs/frames.ts';

/** The name of the world in which scripts of the daemon run: pages do not see it. */
const WORLD = 'sandboxd';

/** Worlds by document, of the documents that still have calls. */
const worlds = new WeakMap<CdpSession, Map<string, number>>();
/** Documents of a session whose worlds are remembered. */
const WORLDS_MAX = 100;

/** An exception of a script in a page. */
export class PageException extends Error {
  constructor({ exception, text }: Protocol.Runtime.ExceptionDetails) {
    const said = exception?.description ?? (exception && 'value' in exception ? String(exception.value) : text);
    super(said);
    this.name = 'PageException';
  }
}

/** Whether a call failed because its document is no longer there. */
export function isReplaced(error: unknown): boolean {
  return (
    isCdpFailure(error, 'closed') ||
    (isCdpFailure(error, 'protocol') && /context|frame|node|navigated/i.test(error.message))
  );
}

/** An execution context for scripts of the daemon in the document of the frame. @throws CdpFailure */
export async function worldOf(frame: Frame, ms?: number): Promise<number> {
  const known = worlds.get(frame.session) ?? new Map<string, number>();
  worlds.set(frame.session, known);
  const key = `${frame.id} ${frame.loaderId}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const terms = { frameId: frame.id, worldName: WORLD };
  const { executionContextId } = await frame.session.send('Page.createIsolatedWorld', terms, ms);
  const oldest = known.size >= WORLDS_MAX ? known.keys().next().value : undefined;
  if (oldest !== undefined) known.delete(oldest);
  known.set(key, executionContextId);
  return executionContextId;
}

/** Forgets the world of a document, which is made again for the next call. */
function forgetWorld(frame: Frame): void {
  worlds.get(frame.session)?.delete(`${frame.id} ${frame.loaderId}`);
}

/** What a script gets and gives. */
export interface ScriptTerms {
  readonly args?: readonly unknown[];
  /** The element that is `this`. */
  readonly objectId?: string;
  /** Milliseconds. */
  readonly ms: number;
}

/** Runs a function of the daemon in the document and answers its value. @throws CdpFailure, PageException */
export async function callIn<T>(frame: Frame, script: string, terms: ScriptTerms): Promise<T> {
  const { result } = await runIn(frame, script, terms, { returnByValue: true });
  return result.value as T;
}

/** Runs a function of the daemon and answers the id of the object that it returns; undefined for null. */
export async function objectIn(
  frame: Frame,
  script: string,
  terms: ScriptTerms & { readonly group: string },
): Promise<string | undefined> {
  const { result } = await runIn(frame, script, terms, { returnByValue: false, objectGroup: terms.group });
  return result.subtype === 'null' ? undefined : result.objectId;
}

async function runIn(
  frame: Frame,
  functionDeclaration: string,
  { args = [], objectId, ms }: ScriptTerms,
  more: { readonly returnByValue: boolean; readonly objectGroup?: string },
): Promise<Protocol.Runtime.CallFunctionOnResponse> {
  const terms = { functionDeclaration, arguments: args.map((value) => ({ value })), awaitPromise: true, ...more };
  const run = async (): Promise<Protocol.Runtime.CallFunctionOnResponse> => {
    const on = objectId === undefined ? { executionContextId: await worldOf(frame, ms) } : { objectId };
    return frame.session.send('Runtime.callFunctionOn', { ...terms, ...on }, ms);
  };
  try {
    const answer = await run().catch((error: unknown) => {
      if (objectId !== undefined || !isReplaced(error)) throw error;
      // A document that returns from memory has new contexts.
      forgetWorld(frame);
      return run();
    });
    if (answer.exceptionDetails) throw new PageException(answer.exceptionDetails);
    return answer;
  } catch (error) {
    if (!isReplaced(error)) throw error;
    forgetWorld(frame);
    throw new CdpFailure('closed', 'the document was replaced', { hint: 'take a new snapshot', cause: error });
  }
}
