import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'vitest';
import { freePort } from '../../scripts/testing/free-port.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { Services } from '../services.ts';
import { api, faultsOf, KEY, openApp, showView } from './app-page.ts';
import { test } from './page-test.ts';
import { picture } from './picture.ts';
import { Stage } from './stage.ts';

/** Text that would do something where it became markup, a script or an address. */
const HOSTILE = `<img src=x onerror="window.pwned=1">'"&lt;\u202e{{7*7}}<script>window.pwned=1</script>`;

test('[app.overview] status, meters, activity, applications and a port that a program opens are shown', async ({
  person,
  services,
}) => {
  await using stage = await Stage.open();
  const { page, faults } = await openApp(person, services);
  await page.getByText('healthy', { exact: true }).waitFor();
  for (const name of ['CPU', 'Memory', 'Disk']) {
    const value = Number(await page.getByRole('meter', { name }).getAttribute('aria-valuenow'));
    expect([name, value >= 0 && value <= 100]).toEqual([name, true]);
  }
  await expect.poll(() => page.getByText(/% of .* processor/).count()).toBe(1);
  const port = await freePort();
  const serve = `require('node:http').createServer((q, s) => s.end('x')).listen(${port}, '127.0.0.1')`;
  await stage.program(process.execPath, ['-e', serve], () => fetch(`http://127.0.0.1:${port}`));
  expect(await page.getByRole('link', { name: `Port ${port}`, exact: true }).getAttribute('href')).toBe(`open/${port}`);
  const { command_id: id } = await api<{ command_id: string }>(services, '/v2/commands', {
    command: 'sleep 1000',
    mode: 'async',
  });
  const running = page.getByRole('link', { name: 'sleep 1000' });
  expect(await running.getAttribute('href')).toBe(`#/commands?id=${id}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: `Copy the link to port ${port}` }).click();
  await page.getByRole('button', { name: `Copied the link to port ${port}` }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${services.url}/open/${port}`);
  await page.getByText('Not running: Desktop (noVNC)').waitFor();
  expect(faults).toEqual([]);
});

test('[app.start-here] first calls are copied by the keyboard, without a key, until they are dismissed', async ({
  person,
  services,
}) => {
  const { page, faults } = await openApp(person, services, '', { permissions: ['clipboard-read', 'clipboard-write'] });
  const card = page.locator('.start-here');
  await card.getByRole('tab', { name: 'curl' }).focus();
  for (const name of ['curl', 'Python', 'TypeScript', 'MCP']) {
    const tab = card.getByRole('tab', { name });
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe(await tab.textContent());
    const shown = (await card.getByRole('tabpanel', { name }).locator('pre').textContent()) ?? '';
    expect([shown.includes(services.url), shown.includes('SANDBOX_API_KEY'), shown.includes(KEY)]).toEqual([
      true,
      true,
      false,
    ]);
    await card.getByRole('button', { name: `Copy the snippet for ${name}` }).focus();
    await page.keyboard.press('Enter');
    await card.getByRole('button', { name: `Copied the snippet for ${name}` }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shown);
    await tab.focus();
    await page.keyboard.press('ArrowRight');
  }
  await card.getByRole('button', { name: 'Copy the address' }).click();
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(services.url);
  await card.getByRole('button', { name: 'Dismiss' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Start here' }).click();
  await card.waitFor();
  expect(faults).toEqual([]);
});

test('[app.first-link] a link that is clicked as soon as it is there opens its view, ten of ten times', async ({
  person,
  services,
}) => {
  const { page } = await openApp(person, services);
  // In the page, so that no message between it and the test gives the page time.
  await page.addInitScript(`new MutationObserver((_, observer) => {
    const link = document.querySelector('a[href="#/files"]');
    if (link === null) return;
    observer.disconnect();
    link.click();
  }).observe(document, { childList: true, subtree: true })`);
  for (let time = 0; time < 10; time += 1) {
    await page.goto(`${services.url}/?again=${time}`);
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
  }
});

test('[app.unknown-view] an address that no view has shows the overview and says so', async ({ person, services }) => {
  const { page } = await openApp(person, services, '#/nowhere<b>');
  await page.getByText('No view is called “nowhere').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await showView(page, '#/files');
  await expect.poll(() => page.getByText('No view is called').count()).toBe(0);
});

test('[app.missing] without browser, desktop, ripgrep and editors the page says how to get them', async ({
  person,
}) => {
  await using directory = await tempDir();
  // Commands find a shell, and no ripgrep.
  for (const name of ['bash', 'sh']) await symlink(`/bin/${name}`, join(directory.path, name));
  await using services = await Services.start({ SVC_API_KEY: KEY, PATH: directory.path });
  const { page } = await openApp(person, services, '#/capabilities');
  const missing = page.locator('.panel', { hasText: 'Missing' }).first();
  for (const way of [
    'POST /v2/browser/start',
    'apt-get install --no-install-recommends tigervnc-standalone-server novnc',
    'DISABLE_CODE_SERVER=false',
    'DISABLE_JUPYTER=false',
    'apt-get install ripgrep',
  ]) {
    await missing.getByText(way).waitFor();
  }
  await picture(page, 'app-missing');
  await page.getByRole('link', { name: 'Desktop', exact: true }).click();
  await page.getByRole('heading', { name: 'This sandbox has no desktop' }).waitFor();
  await page.getByText('No browser runs in this sandbox.').waitFor();
  await page.getByRole('button', { name: 'Start the browser' }).click();
  await expect.poll(() => page.getByRole('alert').filter({ hasText: /./ }).count()).toBeGreaterThan(0);
});

test('[app.screens] [app.take-over] terminal and desktop are in the page, and tabs are opened, shown and closed', async ({
  person,
}) => {
  await using stage = await Stage.open();
  const { display, socketPath } = await stage.display();
  const port = await stage.sandboxBrowser(display);
  await using services = await Services.start({
    SVC_API_KEY: KEY,
    BROWSER_REMOTE_DEBUGGING_PORT: String(port),
    GATEWAY_VNC: socketPath,
  });
  const { page, faults } = await openApp(person, services, '#/desktop');
  const screen = page.frameLocator('iframe');
  await screen.locator('#noVNC_container canvas').waitFor();
  const frame = page.locator('iframe');
  expect(await frame.getAttribute('src')).toContain('view_only=true');
  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByText('You drive').waitFor();
  expect(await frame.getAttribute('src')).toBe('vnc/');
  await screen.locator('#noVNC_container canvas').waitFor();
  await page.getByRole('button', { name: 'Hand back' }).click();
  await page.getByText('You watch').waitFor();
  expect(await frame.getAttribute('src')).toContain('view_only=true');
  const title = `${HOSTILE} title`;
  const html = `<title>${title.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</title>`;
  await page.getByLabel('Address to open').fill(`data:text/html;charset=utf-8,${encodeURIComponent(html)}`);
  await page.keyboard.press('Enter');
  const tab = page.locator('.tabs li').filter({ hasText: 'window.pwned' });
  await expect.poll(() => tab.locator('strong').textContent()).toBe(title);
  await tab.getByRole('button', { name: /^Close/ }).click();
  await expect.poll(() => tab.count()).toBe(0);
  await page.getByRole('link', { name: 'Terminal', exact: true }).click();
  await screen.locator('.xterm-rows').waitFor();
  await screen.locator('.xterm-helper-textarea').focus();
  await page.keyboard.type('echo in the pa""ge');
  await page.keyboard.press('Enter');
  await expect.poll(() => screen.locator('.xterm-rows').textContent()).toMatch(/in the page/);
  expect(await page.evaluate('window.pwned')).toBe(undefined);
  expect(faults).toEqual([]);
});

test('[app.hostile-text] names of files, their text, commands, output and terminal titles are shown as text', async ({
  person,
  services,
}) => {
  await using directory = await tempDir();
  const name = HOSTILE.replaceAll('/', '⁄');
  await mkdir(join(directory.path, `${name} dir`));
  await writeFile(join(directory.path, `${name}.html`), HOSTILE);
  await writeFile(join(directory.path, 'javascript:alert(1)'), '');
  const at = new URLSearchParams({ path: directory.path });
  const { page, faults } = await openApp(person, services, `#/files?${at}`);
  await expect.poll(() => page.locator('.grid-row bdi').allTextContents()).toHaveLength(3);
  expect((await page.locator('.grid-row bdi').allTextContents()).sort()).toEqual(
    [`${name} dir`, `${name}.html`, 'javascript:alert(1)'].sort(),
  );
  await page.locator('.grid-row', { hasText: '.html' }).click();
  await expect.poll(() => page.locator('.viewer pre').allTextContents()).toEqual([HOSTILE]);
  expect(await page.locator('.viewer h2').textContent()).toBe(`${name}.html`);
  const script = join(directory.path, 'run.sh');
  await writeFile(script, `cat <<'E'\n${HOSTILE}\nE\nprintf '\\033]0;%s\\007' "<img src=x onerror=alert(1)>" >&2\n`);
  const { command_id: id } = await api<{ command_id: string }>(services, '/v2/commands', {
    command: `sh ${script} # ${HOSTILE}`,
  });
  await showView(page, `#/commands?id=${encodeURIComponent(id)}`);
  await expect.poll(() => page.getByRole('log').innerText()).toContain(HOSTILE);
  await expect.poll(() => page.locator('.command-text').textContent()).toContain(HOSTILE);
  await showView(page, `#/commands?id=${encodeURIComponent(HOSTILE)}`);
  await expect.poll(() => page.locator('.command-text').textContent()).toBe(HOSTILE);
  expect(await page.evaluate('window.pwned')).toBe(undefined);
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(faults).toEqual([]);
});

test('[app.prefix] below a path prefix the app loads, reads files and runs commands', async ({ person, services }) => {
  await using directory = await tempDir();
  await writeFile(join(directory.path, 'here.txt'), 'text of the file');
  const { hostname, port } = new URL(services.url);
  const outside: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const url = incoming.url ?? '/';
    if (!url.startsWith('/box/7/')) outside.push(url);
    const headers = { ...incoming.headers, 'x-forwarded-prefix': '/box/7' };
    const path = url.slice('/box/7'.length);
    const upstream = request({ hostname, port, path, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const page = await person.newPage();
  const faults = faultsOf(page);
  await page.goto(`http://127.0.0.1:${address.port}/box/7/`);
  await page.fill('input[type=password]', KEY);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Commands', exact: true }).click();
  await page.getByRole('textbox', { name: 'Command', exact: true }).fill('echo below a prefix');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('log').textContent()).toContain('below a prefix');
  await page.goto(`http://127.0.0.1:${address.port}/box/7/#/files?${new URLSearchParams({ path: directory.path })}`);
  await page.getByRole('row', { name: /here/ }).click();
  await expect.poll(() => page.locator('.viewer pre').allTextContents()).toEqual(['text of the file']);
  expect(outside.filter((url) => url !== '/favicon.ico')).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
});

test('[app.throttled] at 400 kbit/s with a latency of 400 ms the app opens, lists and reads a file', async ({
  person,
  services,
}) => {
  await using directory = await tempDir();
  await writeFile(join(directory.path, 'slow.txt'), 'text of the file');
  const context = await person.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const rate = (400 * 1000) / 8;
  await session.send('Network.enable');
  const slow = { offline: false, latency: 400, downloadThroughput: rate, uploadThroughput: rate };
  await session.send('Network.emulateNetworkConditions', slow);
  await page.goto(`${services.url}/?api_key=${KEY}#/files?${new URLSearchParams({ path: directory.path })}`);
  await page.getByRole('row', { name: /slow/ }).click();
  await expect.poll(() => page.locator('.viewer pre').allTextContents()).toEqual(['text of the file']);
  expect(await page.getByText('does not answer').count()).toBe(0);
  await session.send('Network.emulateNetworkConditions', { ...slow, offline: true });
  await page.getByText('The sandbox does not answer. Reconnecting…').waitFor();
  await session.send('Network.emulateNetworkConditions', slow);
  await page.getByText('The sandbox answers again.').waitFor();
});
