import { createHash } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pollUntil } from '@sandbox/api/wait.ts';
import type { XGeometry } from 'x11';
import type { XSession } from '../x11/x-session.ts';
import { isXError, numbersOf, propertyOf } from './properties.ts';

export const WINDOWS_MAX = 200;
/** Milliseconds in which a window manager has to carry a request out. */
const MANAGED_MS = 2_000;
const LOOK_MS = 5;
const ICONIC = 3;
/** `source indication` of a pager: the window manager does what a person asks for (EWMH). */
const PAGER = 2;
const TITLE_MAX = 1000;
/** Windows of a display without a window manager whose titles are asked for, the highest. */
const CHILDREN_MAX = 1_000;

export interface WindowFacts {
  readonly windowId: string;
  readonly title: string;
  readonly processId: number | null;
  readonly bounds: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly minimized: boolean;
  readonly active: boolean;
}

export interface WindowSnapshot {
  /** The same as long as the windows are the same. */
  readonly snapshotId: string;
  /** The lowest first. */
  readonly windows: readonly WindowFacts[];
  readonly truncated: boolean;
}

/** The windows of applications, as the window manager lists them (EWMH); without one, the mapped windows. */
export async function listWindows(session: XSession): Promise<WindowSnapshot> {
  const { ids, isCut } = await applicationWindows(session);
  const [active] = await numbersOf(session, session.root, '_NET_ACTIVE_WINDOW');
  const facts = await Promise.all(ids.slice(-WINDOWS_MAX).map((id) => factsOf(session, id, id === active)));
  const windows = facts.filter((fact) => fact !== undefined);
  const snapshotId = createHash('sha256').update(JSON.stringify(windows)).digest('hex').slice(0, 16);
  return { snapshotId, windows, truncated: isCut || ids.length > WINDOWS_MAX };
}

/** Raises a window and gives it the focus. @throws SandboxError `not_found`, `unavailable` */
export async function activateWindow(session: XSession, window: number, signal: AbortSignal): Promise<void> {
  if (!(await isManaged(session))) {
    session.client.MapWindow(window);
    session.client.ConfigureWindow(window, { stackMode: 0 });
    await session.sync();
    session.client.SetInputFocus(window, 2);
    await session.sync();
    return;
  }
  const type = await session.atom('_NET_ACTIVE_WINDOW');
  session.client.SendClientMessage(session.root, window, type, 32, [PAGER, 0, 0, 0, 0]);
  const isActive = async (): Promise<boolean> =>
    (await numbersOf(session, session.root, '_NET_ACTIVE_WINDOW'))[0] === window;
  await carriedOut(session, window, isActive, signal);
}

/** @throws SandboxError `not_found`, and `unavailable` if no window manager runs */
export async function minimizeWindow(session: XSession, window: number, signal: AbortSignal): Promise<void> {
  if (!(await isManaged(session))) {
    throw new SandboxError('unavailable', 'no window manager runs, which would minimize a window', {
      hint: 'start a window manager on the display',
    });
  }
  const type = await session.atom('WM_CHANGE_STATE');
  session.client.SendClientMessage(session.root, window, type, 32, [ICONIC, 0, 0, 0, 0]);
  await carriedOut(session, window, () => isMinimized(session, window), signal);
}

/** The window of an id, while it is there. @throws SandboxError `not_found` */
export async function findWindow(session: XSession, windowId: string): Promise<number> {
  const window = Number.parseInt(windowId, 16);
  if ((await applicationWindows(session)).ids.includes(window)) return window;
  throw gone(windowId);
}

async function applicationWindows(session: XSession): Promise<{ readonly ids: number[]; readonly isCut: boolean }> {
  const stacked = await numbersOf(session, session.root, '_NET_CLIENT_LIST_STACKING');
  if (stacked.length > 0) return { ids: stacked, isCut: false };
  const listed = await numbersOf(session, session.root, '_NET_CLIENT_LIST');
  if (listed.length > 0 || (await isManaged(session))) return { ids: listed, isCut: false };
  const { children } = await session.query<{ children: number[] }>((done) =>
    session.client.QueryTree(session.root, (error, value) => done(error, value)),
  );
  const highest = children.slice(-CHILDREN_MAX);
  const named = await Promise.all(highest.map(async (id) => ((await titleOf(session, id)) === '' ? [] : [id])));
  return { ids: named.flat(), isCut: highest.length < children.length };
}

/** Whether a window manager runs: its window names itself (EWMH, _NET_SUPPORTING_WM_CHECK). */
async function isManaged(session: XSession): Promise<boolean> {
  const [check] = await numbersOf(session, session.root, '_NET_SUPPORTING_WM_CHECK');
  return check !== undefined && (await numbersOf(session, check, '_NET_SUPPORTING_WM_CHECK'))[0] === check;
}

async function factsOf(session: XSession, id: number, active: boolean): Promise<WindowFacts | undefined> {
  try {
    const geometry = session.ask<XGeometry>((done) => session.client.GetGeometry(id, done));
    const place = session.ask<{ destX: number; destY: number }>((done) =>
      session.client.TranslateCoordinates(id, session.root, 0, 0, done),
    );
    const [{ width, height }, { destX, destY }] = await Promise.all([geometry, place]);
    const [pid] = await numbersOf(session, id, '_NET_WM_PID');
    return {
      windowId: idOf(id),
      title: await titleOf(session, id),
      processId: pid ?? null,
      bounds: { x: destX, y: destY, width, height },
      minimized: await isMinimized(session, id),
      active,
    };
  } catch (error) {
    if (isXError(error)) return undefined;
    throw error;
  }
}

async function titleOf(session: XSession, id: number): Promise<string> {
  const name = await propertyOf(session, id, '_NET_WM_NAME');
  const text = name.length > 0 ? name.toString('utf8') : (await propertyOf(session, id, 'WM_NAME')).toString('latin1');
  return text.slice(0, TITLE_MAX);
}

async function isMinimized(session: XSession, id: number): Promise<boolean> {
  const hidden = await session.atom('_NET_WM_STATE_HIDDEN');
  if ((await numbersOf(session, id, '_NET_WM_STATE')).includes(hidden)) return true;
  return (await numbersOf(session, id, 'WM_STATE'))[0] === ICONIC;
}

/** Waits until the window manager has done it. @throws SandboxError if the window closes meanwhile, or in time */
async function carriedOut(
  session: XSession,
  window: number,
  isDone: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  let isGone = false;
  const look = async (): Promise<boolean> => {
    if (await isDone()) return true;
    isGone = !(await applicationWindows(session)).ids.includes(window);
    return isGone;
  };
  const end = await pollUntil(look, { everyMs: LOOK_MS, ms: MANAGED_MS, signal });
  if (isGone) throw gone(idOf(window));
  if (end !== 'settled') {
    throw new SandboxError('unavailable', `the window manager did not carry it out: ${idOf(window)}`, {
      hint: 'take a screenshot: a dialog may be in front, or the window refuses the focus',
    });
  }
}

function gone(windowId: string): SandboxError {
  return new SandboxError('not_found', `no window with the id ${windowId}`, { hint: 'GET windows lists them' });
}

function idOf(window: number): string {
  return `0x${window.toString(16)}`;
}
