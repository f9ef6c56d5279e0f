import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pause } from '@sandbox/api/wait.ts';
import type { Deadline } from '../page/deadline.ts';
import { isReplaced, objectIn, PageException } from '../page/world.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { NODE, QUERY } from './page-scripts.ts';
import { goneRef, goneWords } from './refs.ts';

/** How a call names an element: exactly one of both. */
export interface Target {
  readonly ref?: string | undefined;
  readonly selector?: string | undefined;
}

/** An element of a page, held until the call has ended. */
export interface Element {
  readonly tab: Tab;
  readonly frame: Frame;
  readonly objectId: string;
  /** Of the objects that are held for the call. */
  readonly group: string;
  /** As the caller named it. */
  readonly name: string;
}

/** Milliseconds between two looks for an element that is not there yet. */
const LOOK_EVERY_MS = 50;

let lastGroup = 0;

/**
 * Waits for the element of a call and hands it to `use`.
 * @throws SandboxError `not_found` if nothing matches until the deadline, or the page of a reference was left
 */
export function withElement<T>(
  tab: Tab,
  target: Target,
  deadline: Deadline,
  use: (element: Element) => Promise<T>,
): Promise<T> {
  return withFound((group) => awaitElement(tab, target, deadline, group), use);
}

/** As `withElement`, with an element that is in the page now. */
export function withElementNow<T>(
  tab: Tab,
  target: Target,
  deadline: Deadline,
  use: (element: Element) => Promise<T>,
): Promise<T> {
  return withFound((group) => findElement(tab, target, deadline, group), use);
}

async function withFound<T>(
  find: (group: string) => Promise<Element>,
  use: (element: Element) => Promise<T>,
): Promise<T> {
  lastGroup += 1;
  const group = `sandboxd-${lastGroup}`;
  const element = await find(group);
  try {
    return await use(element);
  } finally {
    element.frame.session.send('Runtime.releaseObjectGroup', { objectGroup: group }).catch(() => undefined);
  }
}

async function awaitElement(tab: Tab, target: Target, deadline: Deadline, group: string): Promise<Element> {
  for (;;) {
    try {
      return await findElement(tab, target, deadline, group);
    } catch (error) {
      const isMissing = error instanceof Missing || (isReplaced(error) && !tab.gone.aborted);
      if (!isMissing || deadline.isOver) throw error;
      await pause(Math.min(LOOK_EVERY_MS, deadline.left()), tab.gone);
    }
  }
}

/** What may still come. */
class Missing extends SandboxError {}

function findElement(tab: Tab, { ref, selector }: Target, deadline: Deadline, group: string): Promise<Element> {
  if (ref !== undefined && selector !== undefined) {
    throw new SandboxError('invalid', 'and selector exclude each other', { field: 'ref' });
  }
  if (ref !== undefined) return byRef(tab, ref, deadline, group);
  if (selector !== undefined) return bySelector(tab, selector, deadline, group);
  throw new SandboxError('invalid', 'a ref or a selector is required', { hint: 'POST snapshot answers references' });
}

async function byRef(tab: Tab, ref: string, deadline: Deadline, group: string): Promise<Element> {
  const { frameId, loaderId, nodeId } = tab.refs.find(ref);
  await tab.usable();
  const frames = await tab.frames(deadline.forCall);
  const frame = frames.find(({ id, loaderId: shown }) => id === frameId && shown === loaderId);
  if (frame === undefined) throw goneRef(ref);
  const terms = { args: [nodeId], ms: deadline.forCall, group };
  const objectId = await objectIn(frame, NODE, terms).catch((error: unknown) => {
    if (isReplaced(error)) return undefined;
    throw error;
  });
  // A script may put the node back.
  if (objectId === undefined) throw new Missing('not_found', ...goneWords(ref));
  return { tab, frame, objectId, group, name: ref };
}

async function bySelector(tab: Tab, selector: string, deadline: Deadline, group: string): Promise<Element> {
  await tab.usable();
  for (const frame of await tab.frames(deadline.forCall)) {
    const objectId = await queryIn(frame, selector, deadline, group);
    if (objectId !== undefined) return { tab, frame, objectId, group, name: selector };
  }
  throw new Missing('not_found', `nothing matches the selector ${selector}`, {
    hint: 'POST wait waits for a selector; POST snapshot shows the page',
  });
}

/** @throws SandboxError `invalid` with the words of the parser for a selector that is none */
async function queryIn(frame: Frame, selector: string, deadline: Deadline, group: string): Promise<string | undefined> {
  try {
    return await objectIn(frame, QUERY, { args: [selector], ms: deadline.forCall, group });
  } catch (error) {
    if (error instanceof PageException) throw invalidSelector(error);
    // A frame that goes meanwhile matches nothing.
    if (isReplaced(error) && frame.parentId !== undefined) return undefined;
    throw error;
  }
}

/** What the browser says of a selector that it cannot parse. */
export function invalidSelector({ message }: PageException): SandboxError {
  const [line = ''] = message.split('\n');
  return new SandboxError('invalid', line.replace(/^SyntaxError: /, ''));
}
