import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { isCdpFailure } from '../cdp/cdp-failure.ts';
import type { MouseButton } from '../input/mouse.ts';
import { Deadline } from '../page/deadline.ts';
import { done, type Outcome, undone } from '../page/outcome.ts';
import { callIn } from '../page/world.ts';
import type { Tab } from '../tabs/tab.ts';
import { type Element, type Target, withElement } from './find-element.ts';
import { AWAIT_POINTER, POINTER_CAME } from './page-scripts.ts';
import { type Point, waitUntilActionable } from './point.ts';

/** Milliseconds until the pointer must have come to a frame, and for one look whether it has. */
const POINTER_MS = 3000;
const POINTER_LOOK_MS = 100;

export interface ClickTerms {
  readonly button: MouseButton;
  readonly clickCount: number;
  /** Milliseconds until the element must be such that it can be clicked. */
  readonly timeoutMs: number;
}

/** What was done to an element. */
export interface Acted {
  readonly tabId: string;
  /** The element, as its opening tag; null for a click at a point. */
  readonly element: string | null;
  /** Where, in the coordinates of the page. */
  readonly x: number | null;
  readonly y: number | null;
}

/** Clicks an element, or a point of the page. @throws SandboxError if nothing was done */
export async function click(tab: Tab, to: Target | Point, terms: ClickTerms): Promise<Outcome<Acted>> {
  await tab.usable();
  await tab.takeInput();
  if ('x' in to) return press(tab, to, null, terms, () => tab.mouse.move(to.x, to.y));
  const deadline = new Deadline(terms.timeoutMs);
  return withElement(tab, to, deadline, (element) => clickElement(element, terms, deadline));
}

/** Waits until the element can be clicked, and clicks it. */
export async function clickElement(element: Element, terms: ClickTerms, deadline: Deadline): Promise<Outcome<Acted>> {
  const { at, what } = await waitUntilActionable(element, { point: true, editable: false }, deadline);
  return press(element.tab, at, what, terms, () => pointAt(element, at, deadline));
}

/**
 * Moves the pointer to an element. The browser finds the frame of another process by what it has drawn last, which may
 * be older than a scrolling: the pointer is moved until the frame gets it.
 */
export async function pointAt({ tab, frame }: Element, { x, y }: Point, deadline: Deadline): Promise<void> {
  if (frame.parentId === undefined) return tab.mouse.move(x, y);
  await callIn(frame, AWAIT_POINTER, { ms: deadline.forCall });
  const last = new Deadline(POINTER_MS);
  for (let shift = 0; ; shift = 1 - shift) {
    await tab.mouse.move(x + shift, y);
    const came = await callIn<boolean>(frame, POINTER_CAME, { args: [POINTER_LOOK_MS], ms: deadline.forCall });
    if ((came && shift === 0) || last.isOver) return;
  }
}

async function press(
  tab: Tab,
  { x, y }: Point,
  element: string | null,
  terms: ClickTerms,
  point: () => Promise<void>,
): Promise<Outcome<Acted>> {
  const { button, clickCount } = terms;
  const acted: Acted = { tabId: tab.id, element, x: Math.round(x), y: Math.round(y) };
  const what = `${clickCount > 1 ? `clicked ${clickCount} times` : 'clicked'} ${element ?? `at ${acted.x}, ${acted.y}`}`;
  try {
    await point();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return undone(acted, `the pointer was moved, then: ${error.message}`, error.details.hint ?? null);
  }
  return begun(acted, what, () => tab.mouse.click(button, clickCount));
}

/**
 * Runs what can not be taken back. Whatever the browser says from now on, the answer is an outcome: a dialog or a tab
 * that closes is what the input has done.
 * @param what says what was done, in words
 */
export async function begun<T>(data: T, what: string, act: () => Promise<void>): Promise<Outcome<T>> {
  try {
    await act();
    return done(data, what);
  } catch (error) {
    if (isCdpFailure(error, 'dialog')) return done(data, `${what}; ${error.message}`, error.details.hint ?? null);
    if (isCdpFailure(error, 'closed')) return done(data, `${what}; ${error.message}`);
    if (error instanceof SandboxError) {
      return undone(data, `the input was sent (${what}), then: ${error.message}`, error.details.hint ?? null);
    }
    throw error;
  }
}
