import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { drag } from '../input/drag.ts';
import { Deadline } from '../page/deadline.ts';
import type { Outcome } from '../page/outcome.ts';
import type { Tab } from '../tabs/tab.ts';
import { type Acted, begun, pointAt } from './click.ts';
import { type Element, type Target, withElement } from './find-element.ts';
import { type Actionable, type Point, waitUntilActionable } from './point.ts';

/** How far an element may be from where it was, in pixels. */
const STILL = 1;
const STEPS = { point: true, editable: false } as const;

/** Moves the pointer to an element, or to a point of the page. @throws SandboxError if nothing was done */
export async function hover(tab: Tab, to: Target | Point, timeoutMs: number): Promise<Outcome<Acted>> {
  await tab.usable();
  await tab.takeInput();
  if ('x' in to) return moved(tab, to, null, () => tab.mouse.move(to.x, to.y));
  const deadline = new Deadline(timeoutMs);
  return withElement(tab, to, deadline, async (element) => {
    const { at, what } = await waitUntilActionable(element, STEPS, deadline);
    return moved(tab, at, what, () => pointAt(element, at, deadline));
  });
}

function moved(tab: Tab, { x, y }: Point, element: string | null, act: () => Promise<void>): Promise<Outcome<Acted>> {
  const acted = { tabId: tab.id, element, x: Math.round(x), y: Math.round(y) };
  return begun(acted, `the pointer is on ${element ?? `${acted.x}, ${acted.y}`}`, act);
}

/**
 * Drags from one element or point to another one, the left button held.
 * @throws SandboxError if nothing was done
 */
export async function dragBetween(
  tab: Tab,
  from: Target | Point,
  to: Target | Point,
  timeoutMs: number,
): Promise<Outcome<Acted>> {
  await tab.usable();
  await tab.takeInput();
  const deadline = new Deadline(timeoutMs);
  return withEnd(tab, from, deadline, (start) =>
    withEnd(tab, to, deadline, async (end) => {
      const ends = await bothInView(start, end);
      const { at } = ends.start;
      const what = `${ends.start.what} to ${ends.end.what}`;
      const acted = { tabId: tab.id, element: ends.start.what, x: Math.round(at.x), y: Math.round(at.y) };
      return begun(acted, `dragged ${what}`, async () => {
        await tab.mouse.move(at.x, at.y);
        // What the pointer has left may have shown more of the page.
        const now = await bothInView(start, end);
        if (isAway(now.start, ends.start)) await tab.mouse.move(now.start.at.x, now.start.at.y);
        await drag(tab, now.end.at);
      });
    }),
  );
}

/** Brings an end of a drag into view and says where it is. */
type End = () => Promise<Actionable>;

function withEnd<T>(tab: Tab, end: Target | Point, deadline: Deadline, use: (end: End) => Promise<T>): Promise<T> {
  if ('x' in end) return use(async () => ({ at: end, what: `${end.x}, ${end.y}` }));
  return withElement(tab, end, deadline, (element: Element) =>
    use(() => waitUntilActionable(element, STEPS, deadline)),
  );
}

/** Where both ends are at the same time: to bring one into view may scroll the other one away. */
async function bothInView(start: End, end: End): Promise<{ readonly start: Actionable; readonly end: Actionable }> {
  await start();
  await end();
  const first = await start();
  const last = await end();
  const again = await start();
  if (!isAway(again, first)) return { start: again, end: last };
  throw new SandboxError('conflict', 'the two ends of the drag are not in view at the same time', {
    hint: 'make the window larger (POST config), or drag in steps with POST actions',
  });
}

function isAway({ at }: Actionable, before: Actionable): boolean {
  return Math.hypot(at.x - before.at.x, at.y - before.at.y) > STILL;
}
