import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { Services } from '../services.ts';
import { connectPlaywright, firstPage } from './browsers.ts';
import { FORM, FORM_COLOUR, shownColour } from './desktop-form.ts';
import { test } from './page-test.ts';
import { picture } from './picture.ts';
import { Stage } from './stage.ts';

const VIEWPORT = { width: 1000, height: 700 };

/** Clicks into the input of the page that the desktop shows, and types. */
async function type(page: Page, text: string): Promise<void> {
  await page.locator('#noVNC_container canvas').click({ position: { x: 300, y: 30 } });
  await page.keyboard.type(text);
}

test('[keys.view] [vnc.sign-out] a viewer’s key shows the desktop, takes no input, and the page names it and signs out', async ({
  person,
}) => {
  await using stage = await Stage.open();
  const { display, socketPath } = await stage.display();
  const port = await stage.sandboxBrowser(display);
  const keys = join(stage.directory, 'keys');
  const lines = [
    { name: 'agent', key: 'key-of-the-agent', scopes: ['all'] },
    { name: 'onlooker', key: 'key-of-the-onlooker', scopes: ['view'] },
  ];
  await writeFile(keys, lines.map((line) => JSON.stringify(line)).join('\n'));
  await using services = await Services.start({
    SVC_ACCESS_KEYS_FILE: keys,
    BROWSER_REMOTE_DEBUGGING_PORT: String(port),
    GATEWAY_VNC: socketPath,
  });
  const inside = await connectPlaywright(`${services.url}/cdp?api_key=key-of-the-agent`);
  const seen = await firstPage(inside);
  await seen.goto(FORM);
  const viewer = await person.newPage({ viewport: VIEWPORT });
  await viewer.goto(`${services.url}/vnc/?api_key=key-of-the-onlooker`);
  await expect.poll(() => shownColour(viewer)).toEqual(FORM_COLOUR);
  await type(viewer, 'only looking');
  const agent = await (await person.newContext({ viewport: VIEWPORT })).newPage();
  await agent.goto(`${services.url}/vnc/?api_key=key-of-the-agent`);
  await expect.poll(() => shownColour(agent)).toEqual(FORM_COLOUR);
  await type(agent, 'typed!');
  await expect.poll(() => seen.inputValue('input')).toMatch(/!$/);
  // What the viewer typed came to the gateway before.
  expect(await seen.inputValue('input')).toBe('typed!');
  await viewer.locator('#noVNC_control_bar_handle').click();
  const signOut = viewer.getByRole('button', { name: 'Sign out: onlooker (view)' });
  await signOut.hover();
  await picture(viewer, 'desktop-signed-in');
  await signOut.click();
  await viewer.getByLabel('API key').waitFor();
  expect((await viewer.context().request.get(`${services.url}/vnc/`)).status()).toBe(401);
  await inside.close();
});
