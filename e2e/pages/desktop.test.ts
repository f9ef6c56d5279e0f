import { expect, test } from 'vitest';
import { Services } from '../services.ts';
import { KEY } from './app-page.ts';
import { connectPlaywright, firstPage, personsBrowser } from './browsers.ts';
import { FORM, FORM_COLOUR, shownColour } from './desktop-form.ts';
import { Stage } from './stage.ts';

test('[vnc.real-browser] a user sees the sandbox’s browser, types into it and resizes it', async () => {
  await using stage = await Stage.open();
  const { display, socketPath } = await stage.display();
  const port = await stage.sandboxBrowser(display);
  await using services = await Services.start({
    SVC_API_KEY: KEY,
    BROWSER_REMOTE_DEBUGGING_PORT: String(port),
    GATEWAY_VNC: socketPath,
  });
  const inside = await connectPlaywright(`${services.url}/cdp?api_key=${KEY}`);
  const seen = await firstPage(inside);
  await seen.goto(FORM);
  await using person = await personsBrowser();
  const page = await person.newPage({ viewport: { width: 1000, height: 700 } });
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (/^(?:https?|wss?):/.test(request.url()) && new URL(request.url()).host !== new URL(services.url).host)
      foreign.push(request.url());
  });
  await page.goto(
    `${services.url}/vnc/index.html?autoconnect=true&resize=remote&path=websockify%3Fapi_key%3D${KEY}&api_key=${KEY}`,
  );
  // The address keeps no form of the key: the page connects with its cookie.
  expect(page.url()).toBe(`${services.url}/vnc/index.html?autoconnect=true&resize=remote`);
  await expect.poll(() => shownColour(page)).toEqual(FORM_COLOUR);
  // noVNC covers the upper edge with its status at first; the click waits until the canvas receives it.
  await page.locator('#noVNC_container canvas').click({ position: { x: 300, y: 30 } });
  // Keys go to the page as soon as the click has given the focus to the input.
  await expect.poll(() => seen.evaluate('document.activeElement.tagName')).toBe('INPUT');
  await page.keyboard.type('typed in the page');
  await expect.poll(() => seen.inputValue('input')).toBe('typed in the page');
  await page.setViewportSize({ width: 800, height: 500 });
  await expect.poll(() => seen.evaluate('[screen.width, screen.height]')).toEqual([800, 500]);
  const second = await person.newPage();
  await second.goto(`${services.url}/vnc/index.html?autoconnect=true&view_only=true&api_key=${KEY}`);
  await expect.poll(() => shownColour(second)).toEqual(FORM_COLOUR);
  const canvas = second.locator('#noVNC_container canvas');
  await canvas.click({ position: { x: 300, y: 30 } });
  await second.keyboard.type('only looking');
  // Keys arrive in order, so keys that were sent earlier would precede this one.
  await second.evaluate(`import('/vnc/app/ui.js').then(({ default: ui }) => { ui.rfb.viewOnly = false; })`);
  await canvas.click({ position: { x: 300, y: 30 } });
  await second.keyboard.press('End');
  await second.keyboard.type('!');
  await expect.poll(() => seen.inputValue('input')).toMatch(/!$/);
  expect(await seen.inputValue('input')).toBe('typed in the page!');
  expect(foreign).toEqual([]);
  await inside.close();
});
