import type { Size } from '../../../core/desktop/desktop.ts';
import type { Tab } from '../tabs/tab.ts';
import { callIn } from './world.ts';

/** Milliseconds for a look at a page. */
const LOOK_MS = 3000;

/** Sizes that a page knows. */
export interface WindowSizes {
  readonly screen: Size;
  /** Inner size of the page. */
  readonly page: Size;
}

const SIZES = `function() {
  return { screen: { width: screen.width, height: screen.height }, page: { width: innerWidth, height: innerHeight } };
}`;

/** @throws CdpFailure */
export async function sizesOf(tab: Tab): Promise<WindowSizes | undefined> {
  await tab.usable();
  const [main] = await tab.frames(LOOK_MS);
  return main && callIn<WindowSizes>(main, SIZES, { ms: LOOK_MS });
}

/** Resizes the window of the tab. @throws CdpFailure */
export async function resizeWindow(tab: Tab, { width, height }: Size): Promise<void> {
  const { windowId, bounds } = await tab.send('Browser.getWindowForTarget', {}, LOOK_MS);
  if (bounds.windowState !== 'normal') {
    await tab.send('Browser.setWindowBounds', { windowId, bounds: { windowState: 'normal' } }, LOOK_MS);
  }
  await tab.send('Browser.setWindowBounds', { windowId, bounds: { width, height } }, LOOK_MS);
}
