import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pause } from '@sandbox/api/wait.ts';
import { CdpFailure, isCdpFailure } from '../cdp/cdp-failure.ts';
import { invalidSelector } from '../element/find-element.ts';
import { QUERY } from '../element/page-scripts.ts';
import { Deadline } from '../page/deadline.ts';
import { callIn, isReplaced, PageException } from '../page/world.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { NavigationWatch } from './navigation-watch.ts';

/** What can be waited for. */
export const WAIT_FOR = ['selector', 'url', 'load', 'networkidle', 'text', 'function'] as const;
export type WaitKind = (typeof WAIT_FOR)[number];

export interface WaitTerms {
  readonly kind: WaitKind;
  /** What is looked for; of `load` and `networkidle` nothing. */
  readonly value: string;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

/** What matched, and when. */
export interface Matched {
  readonly tabId: string;
  readonly kind: WaitKind;
  readonly value: string | null;
  readonly url: string;
  readonly elapsedMs: number;
}

const LOOK_EVERY_MS = 50;
/** Milliseconds that one look may take. */
const LOOK_MS = 5000;

const IS_VISIBLE = `function(selector) {
  const search = ${QUERY};
  const found = search(selector);
  return !!found && found.getClientRects().length > 0 && found.checkVisibility({ visibilityProperty: true });
}`;
const HAS_TEXT = `function(text) {
  const has = (root) => (root.innerText ?? '').includes(text) ||
    [...root.querySelectorAll('*')].some((node) => node.shadowRoot && [...node.shadowRoot.children].some(has));
  return !!document.body && has(document.body);
}`;
const IS_LOADED = `function() { return document.readyState === 'complete'; }`;

/** Waits until the page is as it should be. @throws SandboxError `unavailable` if it is not in time */
export async function waitInPage(tab: Tab, { kind, value, timeoutMs }: WaitTerms): Promise<Matched> {
  const begun = performance.now();
  const deadline = new Deadline(timeoutMs);
  await tab.usable();
  const looks = kind === 'networkidle' ? idleNetwork(tab, deadline) : look(tab, kind, value, deadline);
  const url = await looks;
  return {
    tabId: tab.id,
    kind,
    value: value === '' ? null : value,
    url,
    elapsedMs: Math.round(performance.now() - begun),
  };
}

async function look(tab: Tab, kind: WaitKind, value: string, deadline: Deadline): Promise<string> {
  for (;;) {
    await tab.usable();
    const url = await matches(tab, kind, value).catch((error: unknown) => {
      if (isReplaced(error) && !tab.gone.aborted) return undefined;
      if (isCdpFailure(error, 'timeout') && !deadline.isOver) return undefined;
      throw error;
    });
    if (url !== undefined) return url;
    if (deadline.isOver) throw tooLate(kind, value);
    await pause(Math.min(LOOK_EVERY_MS, deadline.left()), tab.gone);
  }
}

/** The address of the page if it is as it should be. */
async function matches(tab: Tab, kind: WaitKind, value: string): Promise<string | undefined> {
  const frames = await tab.frames(LOOK_MS);
  const [main] = frames;
  if (main === undefined) return undefined;
  switch (kind) {
    case 'url':
      return isAddress(main.url, value) ? main.url : undefined;
    case 'selector':
      return (await anyFrame(frames, IS_VISIBLE, value)) ? main.url : undefined;
    case 'text':
      return (await anyFrame(frames, HAS_TEXT, value)) ? main.url : undefined;
    case 'function':
      return (await isTrue(tab, value)) ? main.url : undefined;
    default:
      return (await callIn<boolean>(main, IS_LOADED, { ms: LOOK_MS })) ? main.url : undefined;
  }
}

async function anyFrame(frames: readonly Frame[], script: string, value: string): Promise<boolean> {
  for (const frame of frames) {
    try {
      if (await callIn<boolean>(frame, script, { args: [value], ms: LOOK_MS })) return true;
    } catch (error) {
      if (error instanceof PageException) throw invalidSelector(error);
      if (!isReplaced(error) || frame.parentId === undefined) throw error;
    }
  }
  return false;
}

/** An expression, or a function without parameters, in the world of the page. */
async function isTrue(tab: Tab, source: string): Promise<boolean> {
  const expression = `(async () => { const it = (${source}\n); return !!(typeof it === 'function' ? await it() : await it); })()`;
  const terms = { expression, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await tab.send('Runtime.evaluate', terms, LOOK_MS);
  if (exceptionDetails?.exception?.className === 'SyntaxError') {
    throw new SandboxError('invalid', new PageException(exceptionDetails).message, { field: 'value' });
  }
  // What it looks at may not be there yet.
  return exceptionDetails === undefined && result.value === true;
}

/** A part of the address, or a pattern of all of it if it has a `*`. */
export function isAddress(url: string, wanted: string): boolean {
  if (!wanted.includes('*')) return url.includes(wanted);
  const [beginning = '', ...parts] = wanted.split(/\*+/);
  const end = parts.pop() ?? '';
  if (!url.startsWith(beginning) || !url.endsWith(end) || url.length < beginning.length + end.length) return false;
  let at = beginning.length;
  for (const part of parts) {
    const found = url.indexOf(part, at);
    if (found < 0 || found + part.length > url.length - end.length) return false;
    at = found + part.length;
  }
  return true;
}

/** Half a second without requests, from now on. */
async function idleNetwork(tab: Tab, deadline: Deadline): Promise<string> {
  const [main] = await tab.frames(LOOK_MS);
  using watch = new NavigationWatch(tab.session, tab.id);
  // Switching the events on again reports what the document has reached already.
  await tab.send('Page.setLifecycleEventsEnabled', { enabled: true }, LOOK_MS);
  if (!(await watch.reaches(main?.loaderId ?? '', 'networkidle', deadline, tab.gone))) throw tooLate('networkidle', '');
  const [shown] = await tab.frames(LOOK_MS);
  return shown?.url ?? '';
}

function tooLate(kind: WaitKind, value: string): CdpFailure {
  const what = value === '' ? kind : `${kind} ${JSON.stringify(value.slice(0, 200))}`;
  return new CdpFailure('timeout', `the page did not come to ${what} in time`, {
    hint: 'POST snapshot and GET screenshot show how the page is now',
  });
}
