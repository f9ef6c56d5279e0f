import { beforeEach, expect, test } from 'vitest';
import { connectPlaywright } from '../pages/browsers.ts';
import { coversDisplay, devTools, pollByProcess, untilHealthy } from './observe.ts';
import { keepPicture, patchColours, personAt } from './person.ts';
import { NO_KERNELS, sharedSandbox } from './sandbox.ts';

const sandbox = sharedSandbox({ env: NO_KERNELS });

// The service is ready before its browser and display.
beforeEach(() => untilHealthy(sandbox()));

const PAGE = '<title>below</title><body style="margin:0;background:rgb(0,120,120)">';
const POPUP = '<title>on-top</title><body style="margin:0;background:rgb(240,200,20)">';
const [TEAL, GOLD] = ['0,120,120', '240,200,20'];
/** What the window manager draws around a window, in pixels. */
const TITLE = 26;

test('[images.desktop-windows] a popup leaves the browser in sight, stays on top, is moved and closed', async () => {
  const browser = await connectPlaywright(`${sandbox().url}/cdp`, {}, { noDefaults: true });
  const [context] = browser.contexts();
  const page = await context?.newPage();
  if (!context || !page) throw new Error('the browser has no context');
  await page.goto(`data:text/html,${encodeURIComponent(PAGE)}`);
  await using person = await personAt(sandbox().url, '/vnc/', { width: 1280, height: 1024 });
  const canvas = person.page.locator('#noVNC_container canvas');
  const shown = (x: number, y: number): Promise<string[]> => patchColours(person.page, { x, y });
  await expect.poll(() => shown(1000, 800)).toEqual([TEAL]);
  expect(await coversDisplay(sandbox(), '1280x1024')).toBe(true);
  const opened = context.waitForEvent('page');
  await page.evaluate('open("about:blank", "popup", "popup,left=200,top=300,width=400,height=300"); 1');
  const popup = await opened;
  await popup.setContent(POPUP);
  await expect.poll(() => shown(400, 500)).toEqual([GOLD]);
  expect(await shown(1000, 800)).toEqual([TEAL]);
  await canvas.click({ position: { x: 1000, y: 800 } });
  await keepPicture('popup', await person.page.screenshot());
  expect(await shown(400, 500)).toEqual([GOLD]);
  // The title is above what the page takes for the window.
  const [left, top, width] = await popup.evaluate<[number, number, number]>('[screenX, screenY, outerWidth]');
  const title = top - TITLE / 2;
  await canvas.hover({ position: { x: left + 150, y: title } });
  await person.page.mouse.down();
  await person.page.mouse.move(left + 550, title + 200, { steps: 5 });
  await person.page.mouse.up();
  await expect.poll(() => shown(800, 700)).toEqual([GOLD]);
  await expect.poll(() => shown(400, 400)).toEqual([TEAL]);
  await keepPicture('popup-moved', await person.page.screenshot());
  await canvas.click({ position: { x: left + 400 + width - TITLE / 2, y: title + 200 } });
  await expect.poll(() => shown(800, 700)).toEqual([TEAL]);
  await pollByProcess(() => devTools(sandbox(), 'list')).not.toContain('on-top');
  await page.close();
  await browser.close();
});

test('[images.desktop-windows] a window of another program has a title, as high as that of a popup', async () => {
  await sandbox().run('exec xmessage -title other here', { mode: 'async' });
  // Left, right, top, bottom (Extended Window Manager Hints).
  await pollByProcess(() => sandbox().shell('xprop -name other _NET_FRAME_EXTENTS || true')).toMatch(
    new RegExp(`= \\d, \\d, ${TITLE}, \\d$`),
  );
});
