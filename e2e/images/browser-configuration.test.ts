import { expect, test } from 'vitest';
import { browserLine, devTools, openTab, programs, type Row, startWebServer, untilHealthy } from './observe.ts';
import { startSandbox } from './sandbox.ts';

const WITHOUT_BROWSER = ['daemon', 'gateway', 'keeper', 'watchdog', 'window-manager', 'xvnc'];

const ROWS: readonly (readonly [title: string, row: Row])[] = [
  [
    '[config.start-auto] BROWSER_START_MODE=auto is ready only while the browser runs',
    {
      env: { BROWSER_START_MODE: 'auto' },
      see: async (sandbox) => {
        expect(await devTools(sandbox, 'version')).toContain('Chrome/');
        await sandbox.shell('supervisorctl stop chromium');
        expect((await sandbox.fetch('/ready')).status).toBe(503);
      },
    },
  ],
  [
    '[config.start-async] BROWSER_START_MODE=async is ready without the browser and starts it',
    {
      env: { BROWSER_START_MODE: 'async' },
      see: async (sandbox) => {
        expect(await browserLine(sandbox)).toContain('chromium');
        await sandbox.shell('supervisorctl stop chromium');
        expect((await sandbox.fetch('/ready')).status).toBe(200);
      },
    },
  ],
  [
    '[config.start-manual] BROWSER_START_MODE=manual starts no browser and is healthy without one',
    {
      env: { BROWSER_START_MODE: 'manual' },
      see: async (sandbox) => {
        expect(Object.keys(await programs(sandbox)).sort()).toEqual(WITHOUT_BROWSER);
        await untilHealthy(sandbox);
      },
    },
  ],
  [
    '[config.debugging-port] BROWSER_REMOTE_DEBUGGING_PORT is the port of DevTools',
    {
      env: { BROWSER_REMOTE_DEBUGGING_PORT: '9333', BROWSER_START_MODE: 'auto' },
      see: async (sandbox) => {
        expect(await devTools(sandbox, 'version', 9333)).toContain('Chrome/');
        expect(await devTools(sandbox, 'version')).toBe('');
      },
    },
  ],
  [
    '[config.debugging-host] with another host in BROWSER_REMOTE_DEBUGGING_HOST no browser is started',
    {
      env: { BROWSER_REMOTE_DEBUGGING_HOST: 'browser.example' },
      see: async (sandbox) => {
        expect(Object.keys(await programs(sandbox)).sort()).toEqual(WITHOUT_BROWSER);
      },
    },
  ],
  [
    '[config.browser-args] BROWSER_EXTRA_ARGS are flags with shell quoting and without expansion',
    {
      env: { BROWSER_EXTRA_ARGS: '--user-agent="Agent $HOME 1" --force-dark-mode' },
      see: async (sandbox) => {
        const flags = (await browserLine(sandbox)).split('\n');
        expect(flags).toEqual(expect.arrayContaining(['--user-agent=Agent $HOME 1', '--force-dark-mode']));
      },
    },
  ],
  [
    '[config.homepage] HOMEPAGE is the start page of the browser',
    {
      env: { HOMEPAGE: 'data:text/html,<title>at-home</title>', BROWSER_START_MODE: 'auto' },
      see: async (sandbox) => {
        await expect.poll(() => devTools(sandbox, 'list')).toContain('"title": "at-home"');
      },
    },
  ],
  [
    '[config.browser-lang] [config.browser-agent] BROWSER_LANG and BROWSER_USER_AGENT are visible to a page',
    {
      env: {
        BROWSER_LANG: 'de-DE',
        BROWSER_USER_AGENT: 'TestAgent/7',
        BROWSER_START_MODE: 'auto',
        HOMEPAGE: 'data:text/html,<script>document.title = navigator.language + " " + navigator.userAgent</script>',
      },
      see: async (sandbox) => {
        await expect.poll(() => devTools(sandbox, 'list')).toContain('"title": "de-DE TestAgent/7"');
      },
    },
  ],
  [
    '[config.browser-resolution] BROWSER_RESOLUTION is the size of the display and of the browser',
    {
      env: { BROWSER_RESOLUTION: '1600x900' },
      see: async (sandbox) => {
        expect(await sandbox.shell('xdpyinfo | grep dimensions')).toContain('1600x900 pixels');
        expect(await browserLine(sandbox)).toContain('--window-size=1600,900');
      },
    },
  ],
  [
    '[config.proxy-server] PROXY_SERVER is the proxy of the browser and of commands, PROXY_EXCLUDE its exceptions',
    {
      env: { PROXY_SERVER: 'http://127.0.0.1:3128', PROXY_EXCLUDE: 'direct.example', BROWSER_START_MODE: 'auto' },
      see: async (sandbox) => {
        const proxy = await startWebServer(sandbox, 3128);
        await sandbox.run('curl -s http://by-command.example/ http://direct.example/');
        await openTab(sandbox, 'http://by-browser.example/');
        await expect.poll(proxy.log).toContain('GET http://by-browser.example/');
        expect(await proxy.log()).toContain('GET http://by-command.example/');
        expect(await proxy.log()).not.toContain('direct.example');
      },
    },
  ],
  [
    '[config.proxy-map] PROXY_MAP maps single hosts to other addresses, with or without a proxy',
    {
      env: { PROXY_MAP: 'mapped.example=127.0.0.1:3129', BROWSER_START_MODE: 'auto' },
      see: async (sandbox) => {
        const server = await startWebServer(sandbox, 3129);
        await openTab(sandbox, 'http://mapped.example/there');
        await expect.poll(server.log).toContain('GET /there');
      },
    },
  ],
];

test.each(ROWS)('%s', async (_title, { see, ...options }) => {
  await using sandbox = await startSandbox(options);
  await see(sandbox);
});
