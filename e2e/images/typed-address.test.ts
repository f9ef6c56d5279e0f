import { describe, expect, test } from 'vitest';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { ask, openSite, SITE } from './browser-site.ts';
import { untilHealthy } from './observe.ts';
import { personAt } from './person.ts';
import { NO_KERNELS, sharedSandbox } from './sandbox.ts';

const KEY = 'secret-key';
const VIEW = { width: 1280, height: 800 };

describe.each([DAEMON_IMAGE, DESKTOP_IMAGE])('%s', (image) => {
  const sandbox = sharedSandbox({ image, env: { SVC_API_KEY: KEY, BROWSER_START_MODE: 'auto', ...NO_KERNELS } });
  const addresses = async (): Promise<readonly string[]> => {
    const { body } = await ask(sandbox(), 'GET', '/v2/browser/tabs');
    return body.data.map(({ url }: { readonly url: string }) => url);
  };

  test('[browser.start-log] the start of the browser writes no error to the log', async () => {
    await untilHealthy(sandbox());
    expect(sandbox().rawLog).not.toContain('FATAL');
  });

  test('[app.typed-address] [app.typing-kept] one that a person types in the app while the display connects is opened', async () => {
    await openSite(sandbox());
    await using person = await personAt(sandbox().url, `/?api_key=${KEY}`, VIEW);
    const { page } = person;
    const released = Promise.withResolvers<void>();
    await page.route('**/vnc/core/rfb.js', async (route) => {
      await released.promise;
      await route.continue();
    });
    await page.goto(`${sandbox().url}/#/desktop`);
    await page.getByLabel('Address to open').focus();
    const { host } = new URL(SITE);
    await page.keyboard.type(`${host}/form`);
    released.resolve();
    const frame = page.frameLocator('iframe[title="Display of the sandbox"]');
    await frame.locator('html.noVNC_connected').waitFor({ state: 'attached' });
    await page.keyboard.type('?typed\n');
    await expect.poll(addresses).toContain(`${SITE}/form?typed`);
  });
});
