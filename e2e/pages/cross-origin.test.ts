import process from 'node:process';
import { expect, test } from 'vitest';
import { freePort } from '../../scripts/testing/free-port.ts';
import { Services } from '../services.ts';
import { KEY } from './app-page.ts';
import { personsBrowser } from './browsers.ts';
import { Stage } from './stage.ts';

const SERVE =
  'require("node:http").createServer((q, s) => s.setHeader("content-type", "text/html").end("<title>page</title>" + q.method)).listen(process.argv[1], "127.0.0.1")';

test('[cors.real-page] a page of a listed origin can use the gateway’s own paths with the key, another page cannot', async () => {
  await using stage = await Stage.open();
  const port = await freePort();
  await stage.program(process.execPath, ['-e', SERVE, String(port)], () => fetch(`http://127.0.0.1:${port}`));
  const [listed, other] = [`http://localhost:${port}`, `http://other.localhost:${port}`];
  const browserPort = await stage.sandboxBrowser();
  await using services = await Services.start({
    SVC_API_KEY: KEY,
    SVC_ALLOWED_ORIGINS: listed,
    BROWSER_REMOTE_DEBUGGING_PORT: String(browserPort),
  });
  await using person = await personsBrowser();
  const page = await person.newPage();
  const asks = (path: string, key: string, method = 'GET') =>
    page.evaluate(
      ([url, value, verb]) =>
        fetch(url, { method: verb, headers: { 'x-api-key': value } }).then(
          async (answer) => [answer.status, (await answer.text()).length > 0] as const,
          () => 'refused' as const,
        ),
      [services.url + path, key, method] as const,
    );
  for (const [origin, reads] of [
    [listed, true],
    [other, false],
  ] as const) {
    await page.goto(origin);
    for (const [path, method, status] of [
      ['/cdp/json/version', 'GET', 200],
      ['/cdp/json/new', 'PUT', 200],
      [`/proxy/${port}/`, 'PATCH', 200],
      [`/absproxy/${port}/x`, 'DELETE', 200],
      ['/code-server/', 'GET', 404],
      ['/vnc/none.js', 'GET', 404],
      ['/v2/commands', 'GET', 200],
    ] as const) {
      const expected = reads ? [status, true] : 'refused';
      expect([origin, path, await asks(path, KEY, method)]).toEqual([origin, path, expected]);
    }
    expect(await asks('/cdp/json/version', 'wrong')).toEqual(reads ? [401, true] : 'refused');
  }
});
