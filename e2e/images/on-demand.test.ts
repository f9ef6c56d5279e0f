import { describe, expect, test } from 'vitest';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { NO_KERNELS, startSandbox } from './sandbox.ts';
import { pidOf, stopProgram } from './supervisor.ts';

/** Calls that look at the browser. */
const LOOKS = ['/v2/browser/info', '/v1/browser/tabs', '/v2/browser/cookies', '/v1/capabilities'];

describe.each([DAEMON_IMAGE, DESKTOP_IMAGE])('%s', (image) => {
  test('[browser.on-demand] [browser.manual] calls that act start the browser of the mode manual, calls that look do not', async () => {
    const env = { BROWSER_START_MODE: 'manual', SVC_BROWSER_ON_DEMAND: 'true', ...NO_KERNELS };
    await using sandbox = await startSandbox({ image, env });
    for (const path of LOOKS) await (await sandbox.fetch(path)).arrayBuffer();
    expect(await pidOf(sandbox, 'chromium')).toBe(undefined);
    const url = 'data:text/html,<title>begun</title>';
    expect(await sandbox.post('/v2/browser/navigate', { url })).toMatchObject({ title: 'begun' });
    await stopProgram(sandbox, 'chromium');
    const used = await sandbox.mcp('tools/call', { name: 'browser_navigate', arguments: { url } });
    expect(JSON.stringify(used)).toContain('begun');
    expect(await pidOf(sandbox, 'chromium')).toEqual(expect.any(Number));
  });
});
