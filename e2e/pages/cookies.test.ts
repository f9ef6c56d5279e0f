import process from 'node:process';
import { expect } from 'vitest';
import { startDaemon } from '../../gateway/src/gateway.fixture.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import { Services } from '../services.ts';
import { KEY } from './app-page.ts';
import { test } from './page-test.ts';
import { Stage } from './stage.ts';

const SERVE =
  'require("node:http").createServer((q, s) => s.setHeader("content-type", "text/html").end("<title>page</title>")).listen(process.argv[1], "127.0.0.1")';

async function site(stage: Stage): Promise<number> {
  const port = await freePort();
  await stage.program(process.execPath, ['-e', SERVE, String(port)], () => fetch(`http://127.0.0.1:${port}`));
  return port;
}

/** Fetches a URL from a page with the cookies of the browser: a status, or an error of the browser. */
function asks(
  page: { evaluate<R>(script: (given: [string, string]) => R, given: [string, string]): Promise<R> },
  url: string,
  method = 'GET',
) {
  return page.evaluate(
    ([address, verb]) =>
      fetch(address, {
        method: verb,
        credentials: 'include',
        ...(verb === 'POST' && { body: '{"command":"touch /tmp/never"}' }),
      }).then(
        ({ status }) => status as number | string,
        () => 'refused',
      ),
    [url, method],
  );
}

/** Whether a page can open a WebSocket with the cookies of the browser. */
function connects(page: { evaluate<R>(script: (url: string) => R, url: string): Promise<Awaited<R>> }, url: string) {
  return page.evaluate(
    (address) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(address);
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('refused');
      }),
    url,
  );
}

test('[cookie.foreign-page] a page of another origin can neither read nor post with the cookie', async ({ person }) => {
  await using stage = await Stage.open();
  const port = await site(stage);
  await using desktop = await startDaemon(() => {});
  await using services = await Services.start({ SVC_API_KEY: KEY, GATEWAY_VNC: `127.0.0.1:${desktop.port}` });
  const home = services.url.replace('127.0.0.1', 'localhost');
  const context = await person.newContext();
  const own = await context.newPage();
  await own.goto(`${home}/?api_key=${KEY}`);
  await own.goto(`${home}/v2/openapi.json`);
  expect([await asks(own, `${home}/v2/commands`), await asks(own, `${home}/v2/commands`, 'POST')]).toEqual([200, 200]);
  const socket = `${home.replace('http', 'ws')}/websockify`;
  expect(await connects(own, socket)).toBe('open');
  for (const origin of [`http://localhost:${port}`, `http://127.0.0.1:${port}`, `http://evil.localhost:${port}`]) {
    const foreign = await context.newPage();
    await foreign.goto(origin);
    expect([
      origin,
      await asks(foreign, `${home}/v2/commands`),
      await asks(foreign, `${home}/v2/commands`, 'POST'),
    ]).toEqual([origin, 'refused', 'refused']);
    expect([origin, await connects(foreign, socket)]).toEqual([origin, 'refused']);
  }
  const { data } = (await (await fetch(`${services.url}/v2/commands`, { headers: { 'x-api-key': KEY } })).json()) as {
    data: { commands: unknown[] };
  };
  expect(data.commands).toHaveLength(1);
});

test('[preview.own-cookie] a previewed page with its own cookie reaches neither another prefix nor the API', async ({
  person,
  services,
}) => {
  await using stage = await Stage.open();
  const [port, other] = [await site(stage), await site(stage)];
  const gateway = new URL(services.url).port;
  for (const [own, base] of [
    [`${services.url}/proxy/${port}/`, services.url],
    [`http://${port}.localhost:${gateway}/`, services.url],
  ] as const) {
    const context = await person.newContext();
    const page = await context.newPage();
    await page.goto(`${own}?api_key=${KEY}`);
    expect([page.url(), await page.title(), await asks(page, own)]).toEqual([own, 'page', 200]);
    for (const path of [
      '/v2/commands',
      `/proxy/${other}/`,
      `/absproxy/${port}/`,
      '/vnc/',
      '/cdp/json',
      '/open/80',
      `/proxy/${port}/../../v2/commands`,
    ]) {
      expect([path, await asks(page, base + path)]).toEqual([
        path,
        base.includes(new URL(own).hostname) ? 401 : 'refused',
      ]);
    }
    const cookies = (await context.cookies()).map(({ name, httpOnly, sameSite, domain }) => ({
      name,
      httpOnly,
      sameSite,
      domain,
    }));
    expect(cookies).toEqual([
      { name: `svc_session_proxy_${port}`, httpOnly: true, sameSite: 'Lax', domain: new URL(own).hostname },
    ]);
    await context.close();
  }
});

test('[preview.isolated-page] an isolated preview has an opaque origin: its script reaches neither cookies nor the API', async ({
  person,
}) => {
  await using stage = await Stage.open();
  const port = await site(stage);
  await using services = await Services.start({ SVC_API_KEY: KEY, SVC_PREVIEW_PATH: 'isolated' });
  const page = await person.newPage();
  await page.goto(`${services.url}/?api_key=${KEY}`);
  await page.goto(`${services.url}/proxy/${port}/`);
  expect(await page.title()).toBe('page');
  expect(await page.evaluate('self.origin')).toBe('null');
  expect(await asks(page, `${services.url}/v2/commands`)).toBe('refused');
  const cookies = "(() => { try { return document.cookie } catch { return 'refused' } })()";
  expect(await page.evaluate(cookies)).toBe('refused');
});
