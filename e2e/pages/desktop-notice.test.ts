import { rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { RfbServer } from '../../gateway/src/rfb.fixture.ts';
import { Services } from '../services.ts';
import { KEY } from './app-page.ts';
import { test } from './page-test.ts';
import { picture } from './picture.ts';
import { Stage } from './stage.ts';

const VIEWPORT = { width: 1280, height: 800 };

/** A display behind a relay, whose connections a test can cut. */
async function cuttableDisplay(stage: Stage): Promise<RfbServer> {
  const { socketPath } = await stage.display();
  return RfbServer.start((viewer) => {
    const display = connect(socketPath).on('error', () => viewer.destroy());
    viewer.pipe(display).pipe(viewer);
  });
}

function cut(desktop: RfbServer): void {
  for (const socket of desktop.sockets) socket.destroy();
}

function isConnected(page: Page): Promise<boolean> {
  return page.evaluate<boolean>("document.documentElement.classList.contains('noVNC_connected')");
}

test('[vnc.key-changed] after the key has changed the desktop ends and leads to the key form, and from there back', async ({
  person,
}) => {
  await using stage = await Stage.open();
  const file = join(stage.directory, 'key');
  await writeFile(file, KEY);
  await using desktop = await cuttableDisplay(stage);
  await using services = await Services.start({ SVC_API_KEY_FILE: file, GATEWAY_VNC: desktop.path });
  const page = await person.newPage({ viewport: VIEWPORT });
  await page.goto(`${services.url}/vnc/?api_key=${KEY}`);
  await expect.poll(() => isConnected(page)).toBe(true);
  await rm(file);
  await writeFile(file, 'another-key');
  const notice = page.locator('#svc-notice');
  await expect.poll(() => notice.textContent()).toContain('The key of this sandbox is not accepted any more.');
  await picture(page, 'desktop-key-changed');
  await page.getByRole('button', { name: 'Enter the key' }).click();
  await page.fill('input[type=password]', 'another-key');
  await page.keyboard.press('Enter');
  await expect.poll(() => isConnected(page)).toBe(true);
  await expect.poll(() => notice.count()).toBe(0);
});

test('[vnc.away] a sandbox that does not answer is told, and the desktop returns with it', async ({ person }) => {
  await using stage = await Stage.open();
  await using desktop = await cuttableDisplay(stage);
  await using services = await Services.start({ SVC_API_KEY: KEY, GATEWAY_VNC: desktop.path });
  const page = await person.newPage({ viewport: VIEWPORT });
  await page.goto(`${services.url}/vnc/?api_key=${KEY}`);
  await expect.poll(() => isConnected(page)).toBe(true);
  await services.stopDaemon('SIGKILL');
  cut(desktop);
  await expect.poll(() => page.locator('#svc-notice').textContent()).toContain('The sandbox does not answer.');
  await picture(page, 'desktop-away');
  await services.startDaemon();
  await expect.poll(() => isConnected(page)).toBe(true);
  await expect.poll(() => page.locator('#svc-notice').count()).toBe(0);
});
