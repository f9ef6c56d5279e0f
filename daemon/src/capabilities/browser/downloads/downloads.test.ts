import { join } from 'node:path';
import { expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { CdpConnection } from '../cdp/cdp-connection.ts';
import { CdpSession } from '../cdp/cdp-session.ts';
import { TestBrowser, TestSite } from '../chromium.fixture.ts';

test.skipIf(!has('chromium'))(
  '[browser.downloads] a daemon that connects later leaves the folder that a client has set',
  async () => {
    await using browser = await TestBrowser.start();
    await using site = await TestSite.start();
    await using folder = await tempDir();
    site.pages['/file'] = (_request, response) =>
      void response.writeHead(200, { 'content-disposition': 'attachment; filename=a.bin' }).end('bytes');
    const { webSocketDebuggerUrl } = (await (await fetch(`http://127.0.0.1:${browser.port}/json/version`)).json()) as {
      webSocketDebuggerUrl: string;
    };
    using connection = await CdpConnection.open(webSocketDebuggerUrl, { ms: 5000, fail: () => {} });
    const client = new CdpSession(connection);
    const terms = { behavior: 'allowAndName', downloadPath: folder.path, eventsEnabled: true } as const;
    await client.send('Browser.setDownloadBehavior', terms);
    await using daemon = await TestApp.start({ browserPort: browser.port });
    expect((await daemon.post('/v2/browser/navigate', { url: site.url('/file') })).statusCode).toBe(200);
    const ended = (await daemon.post('/v2/browser/downloads/wait', {})).json().data;
    expect(ended).toMatchObject({ name: 'a.bin', state: 'completed', path: join(folder.path, ended.id) });
  },
);
