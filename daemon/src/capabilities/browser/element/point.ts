import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pause } from '@sandbox/api/wait.ts';
import { CdpFailure } from '../cdp/cdp-failure.ts';
import type { Deadline } from '../page/deadline.ts';
import { callIn, worldOf } from '../page/world.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Element } from './find-element.ts';
import { ACTIONABLE, POINT_OF_FRAME } from './page-scripts.ts';
import { goneRef } from './refs.ts';

/** Milliseconds that one look into the page may wait; after that the frames around it are looked at again. */
const LOOK_MS = 5000;
const AGAIN_MS = 50;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What of an element has to be true before it is acted on. */
export interface Steps {
  /** A point of it is in the viewport and nothing covers it. */
  readonly point: boolean;
  /** It takes text. */
  readonly editable: boolean;
}

interface Look {
  readonly what?: string;
  /** What is wrong; undefined: nothing. */
  readonly reason?: string;
  readonly by?: string;
  readonly x?: number;
  readonly y?: number;
}

/** An element that can be acted on. */
export interface Actionable {
  /** In the coordinates of the page; only if a point was asked for. */
  readonly at: Point;
  /** What the element is, as its opening tag. */
  readonly what: string;
}

/**
 * Scrolls the element into view and waits until it can be acted on: visible, enabled, not moving, not covered.
 * @throws SandboxError `not_found` if it has left the page; `unavailable` with what is wrong if time is over
 */
export async function waitUntilActionable(element: Element, steps: Steps, deadline: Deadline): Promise<Actionable> {
  for (;;) {
    const waitMs = Math.min(deadline.left(), LOOK_MS);
    const { frame, objectId } = element;
    const ms = waitMs + LOOK_MS;
    const look = await callIn<Look>(frame, ACTIONABLE, { objectId, args: [steps, waitMs], ms });
    const what = look.what ?? element.name;
    const found = look.reason === undefined ? await inPage(element, look, steps, deadline) : look;
    if (found.reason === undefined) return { at: { x: found.x ?? 0, y: found.y ?? 0 }, what };
    if (found.reason === 'detached') throw gone(element);
    if (deadline.isOver) throw notActionable(what, found.reason, found.by);
    await pause(Math.min(AGAIN_MS, deadline.left()));
  }
}

/** Where a point of the element's frame is in the page, by a script that goes one frame outwards. */
export async function pointInPage(
  { tab, frame }: Element,
  at: Point,
  script: string,
  deadline: Deadline,
): Promise<Point> {
  if (frame.parentId === undefined) return { x: at.x, y: at.y };
  const found = await climb({ frames: await tab.frames(deadline.forCall), script, deadline }, frame, at);
  if (found.reason !== undefined) throw new SandboxError('not_found', 'the frame has left the page');
  return { x: found.x ?? 0, y: found.y ?? 0 };
}

/** Follows a point from the frame of the element to the page. */
async function inPage({ tab, frame }: Element, look: Look, { point }: Steps, deadline: Deadline): Promise<Look> {
  if (!point || frame.parentId === undefined) return look;
  return climb({ frames: await tab.frames(deadline.forCall), script: POINT_OF_FRAME, deadline }, frame, look);
}

interface Climb {
  readonly frames: readonly Frame[];
  readonly script: string;
  readonly deadline: Deadline;
}

async function climb(terms: Climb, frame: Frame, at: Look): Promise<Look> {
  if (frame.parentId === undefined || at.reason !== undefined) return at;
  const parent = terms.frames.find(({ id }) => id === frame.parentId);
  if (parent === undefined) return { reason: 'detached' };
  return climb(terms, parent, await pointInParent(terms, parent, frame.id, at));
}

async function pointInParent(
  { script, deadline }: Climb,
  parent: Frame,
  frameId: string,
  { x, y }: Partial<Point>,
): Promise<Look> {
  const { session } = parent;
  const ms = deadline.forCall;
  const [{ backendNodeId }, executionContextId] = await Promise.all([
    session.send('DOM.getFrameOwner', { frameId }, ms),
    worldOf(parent, ms),
  ]);
  const { object } = await session.send('DOM.resolveNode', { backendNodeId, executionContextId }, ms);
  if (object.objectId === undefined) return { reason: 'detached' };
  return callIn<Look>(parent, script, { objectId: object.objectId, args: [x, y], ms });
}

function gone({ name }: Element): SandboxError {
  return /^@?e\d+$/.test(name) ? goneRef(name) : new SandboxError('not_found', `${name} has left the page`);
}

const REASON_HINTS: Readonly<Record<string, string>> = {
  covered: 'close or scroll away what covers it, or click at x and y',
  disabled: 'the page enables it when something else was done',
  'not visible': 'the page shows it when something else was done; POST snapshot lists what is visible',
  moving: 'wait until the page stands still',
  'read-only': 'the page does not let its text be changed',
};

function notActionable(what: string, reason: string, by: string | undefined): SandboxError {
  const words = reason === 'covered' ? `is covered by ${by}` : `is ${reason}`;
  const hint = REASON_HINTS[reason] ?? 'POST screenshot shows the page';
  return new CdpFailure('timeout', `${what} ${words}`, { hint, data: { reason, by: by ?? null, element: what } });
}
