import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect } from 'vitest';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { Services } from '../services.ts';
import { api, faultsOf, KEY, openApp, showView } from './app-page.ts';
import { test } from './page-test.ts';
import { picture } from './picture.ts';

const HTML = { accept: 'text/html' };

test('[app.before-key] before the key the document loads nothing, and the files of the app require the key', async ({
  person,
  services,
}) => {
  const page = await person.newPage();
  const asked: string[] = [];
  const faults = faultsOf(page);
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(services.url);
  await page.getByLabel('API key').waitFor();
  expect(asked.filter((path) => path !== '/favicon.ico')).toEqual(['/']);
  expect(faults).toEqual([]);
  for (const name of ['app.js', 'app.css', 'icon.svg']) {
    const without = await fetch(`${services.url}/app/${name}`);
    const withKey = await fetch(`${services.url}/app/${name}`, { headers: { 'x-api-key': KEY } });
    expect([name, without.status, withKey.status]).toEqual([name, 401, 200]);
    expect(withKey.headers.get('cache-control')).toBe('private, no-cache');
  }
});

test('[app.policy] the policy names one script and forbids all ways from text to markup, and the page keeps it', async ({
  person,
  services,
}) => {
  const answer = await fetch(services.url, { headers: { ...HTML, 'x-api-key': KEY } });
  const policy = answer.headers.get('content-security-policy') ?? '';
  const nonce = /script-src 'nonce-([^']{22,})';/.exec(policy)?.[1] ?? '';
  for (const rule of [
    "default-src 'none'",
    "style-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]) {
    expect(policy.split('; ')).toContain(rule);
  }
  expect(policy).not.toContain('unsafe');
  expect((await answer.text()).split(`nonce="${nonce}"`)).toHaveLength(2);
  const { page, faults } = await openApp(person, services);
  for (const view of ['files', 'commands', 'code', 'terminal', 'desktop', 'capabilities', 'overview']) {
    await showView(page, `#/${view}`);
    await page.getByRole('heading', { level: 1, name: view }).waitFor();
  }
  expect(faults).toEqual([]);
  const injected = page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p>x</p>')");
  await expect(injected).rejects.toThrow(/TrustedHTML/);
});

test('[app.key-changed] every view says that the key changed, and the page leads to the form', async ({ person }) => {
  await using directory = await tempDir();
  const file = join(directory.path, 'key');
  await writeFile(file, KEY);
  await using services = await Services.start({ SVC_API_KEY_FILE: file });
  const { page } = await openApp(person, services, `#/files?${new URLSearchParams({ path: directory.path })}`);
  await page.getByRole('row', { name: /key/ }).waitFor();
  await rm(file);
  await writeFile(file, 'another-key');
  await expect.poll(() => page.getByRole('alert').first().textContent()).toContain('The key is not accepted any more.');
  await picture(page, 'app-key-changed');
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByText('the key is not accepted', { exact: true }).waitFor();
  expect(await page.getByText('not reachable').count()).toBe(0);
  await page.goBack();
  await page.getByRole('button', { name: 'Enter the key' }).click();
  await page.fill('input[type=password]', 'wrong');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('alert').textContent()).toBe('This key is not accepted.');
  await page.fill('input[type=password]', 'another-key');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /key/ }).waitFor();
});

test('[app.tickets] a ticket opens the app once; expired, spent and foreign ones lead to the form', async ({
  person,
  services,
}) => {
  const ticket = async (fields: object): Promise<string> =>
    (await api<{ ticket: string }>(services, '/v2/tickets', fields)).ticket;
  const visit = async (query: string): Promise<string | null> => {
    const context = await person.newContext();
    const page = await context.newPage();
    await page.goto(`${services.url}/?ticket=${query}`);
    await page.getByRole('navigation', { name: 'Views' }).or(page.getByLabel('API key')).waitFor();
    expect(page.url()).not.toContain(query);
    const alert = page.getByRole('alert');
    const text = (await page.getByLabel('API key').count()) > 0 ? await alert.textContent() : null;
    await context.close();
    return text;
  };
  const refused = 'This link is not valid any more: it has expired or was used. The API key opens the page.';
  const good = await ticket({ path_prefix: '/' });
  expect(await visit(good)).toBe(null);
  expect(await visit(good)).toBe(refused);
  expect(await visit(await ticket({ path_prefix: '/vnc/' }))).toBe(refused);
  expect(await visit('not-a-ticket')).toBe(refused);
  const short = await api<{ ticket: string; expires_at: string }>(services, '/v2/tickets', {
    path_prefix: '/',
    ttl: 1,
  });
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(short.expires_at));
  expect(await visit(short.ticket)).toBe(refused);
});

test('[app.foreign-page] a page of another origin can neither embed the app, nor load its files, nor act through it', async ({
  person,
  services,
}) => {
  const home = services.url.replace('127.0.0.1', 'localhost');
  const attack = `<title>evil</title><iframe src="${home}/"></iframe>
<script>window.got = []; addEventListener('message', (e) => got.push(e.data));</script>
<script src="${home}/app/app.js" onload="got.push('script')" onerror="got.push('no script')"></script>
<form id="f" method="post" enctype="text/plain" target="t" action="${home}/v2/commands">
<input name='{"command":"touch /tmp/never","x":"' value='"}'></form><iframe name="t"></iframe>
<script>f.submit(); fetch('${home}/v2/commands', { credentials: 'include' }).catch(() => got.push('no answer'));</script>`;
  const site = createServer((_request, answer) => void answer.setHeader('content-type', 'text/html').end(attack));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const address = site.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { page } = await openApp(person, services);
  await page.goto(`${home}/?api_key=${KEY}`);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  const foreign = await page.context().newPage();
  await foreign.goto(`http://evil.localhost:${address.port}/`);
  await expect.poll(() => foreign.evaluate('got.sort()')).toEqual(['no answer', 'no script']);
  for (const frame of foreign.frames().slice(1)) {
    await expect
      .poll(() =>
        frame
          .locator('nav')
          .count()
          .catch(() => 0),
      )
      .toBe(0);
  }
  expect(await api<{ commands: unknown[] }>(services, '/v2/commands')).toEqual({ commands: [] });
  await new Promise((resolve) => site.close(resolve));
});

test('[app.sign-out] the app and the terminal say who opened them, and sign out', async ({ person }) => {
  await using directory = await tempDir();
  const keys = join(directory.path, 'keys');
  await writeFile(keys, JSON.stringify({ name: 'anna', key: KEY, scopes: ['mcp', 'read'] }));
  await using services = await Services.start({ SVC_ACCESS_KEYS_FILE: keys });
  const { page } = await openApp(person, services);
  await page.getByText('mcp, read').waitFor();
  expect(await page.locator('.signed-in span').textContent()).toContain('anna');
  await picture(page, 'app-signed-in');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  await page.goto(`${services.url}/terminal/?api_key=${KEY}`);
  await page.getByText('anna (mcp, read)').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
});
