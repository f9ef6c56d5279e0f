import type { Protocol } from '../cdp/cdp-types.ts';
import type { Tab } from '../tabs/tab.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Moves between the two ends of a drag. */
const STEPS = 8;
/** Milliseconds for one event of a drag. */
const DRAG_MS = 5000;

/**
 * Drags from where the pointer is, the left button held. What the page lets be dragged (HTML Standard §6.12) is taken
 * from the browser before the system has it, and dropped at the end.
 */
export async function drag(tab: Tab, { x, y }: Point): Promise<void> {
  const { mouse, session } = tab;
  let taken: Protocol.Input.DragData | undefined;
  using _listening = session.on('Input.dragIntercepted', ({ data }) => {
    taken = data;
  });
  await session.send('Input.setInterceptDrags', { enabled: true }, DRAG_MS);
  let hasEntered = false;
  const dragTo = async (type: 'dragOver' | 'drop', at: Point, data: Protocol.Input.DragData): Promise<void> => {
    if (!hasEntered) await session.send('Input.dispatchDragEvent', { type: 'dragEnter', ...at, data }, DRAG_MS);
    hasEntered = true;
    await session.send('Input.dispatchDragEvent', { type, ...at, data }, DRAG_MS);
  };
  try {
    const from = { x: mouse.x, y: mouse.y };
    await mouse.down('left');
    for (let step = 1; step <= STEPS; step += 1) {
      const part = step / STEPS;
      const at = { x: from.x + (x - from.x) * part, y: from.y + (y - from.y) * part };
      if (taken) await dragTo('dragOver', at, taken);
      else await mouse.move(at.x, at.y);
    }
    if (taken) {
      await dragTo('drop', { x, y }, taken);
      mouse.x = x;
      mouse.y = y;
    }
    await mouse.up('left');
  } finally {
    session.send('Input.setInterceptDrags', { enabled: false }, DRAG_MS).catch(() => undefined);
  }
}
