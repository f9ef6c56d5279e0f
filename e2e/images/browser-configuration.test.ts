import { expect } from 'vitest';
import { describeGroups, type Group } from './groups.ts';
import {
  browserLine,
  callBrowserMcp,
  coversDisplay,
  devTools,
  openTab,
  pollByProcess,
  startServer,
  startWebServer,
  statusWith,
  untilHealthy,
} from './observe.ts';
import { NO_BROWSER, NO_KERNELS } from './sandbox.ts';
import { programs, startProgram, stopProgram } from './supervisor.ts';

const LANGUAGE_PAGE = 'data:text/html,<script>document.title = navigator.language + " " + navigator.userAgent</script>';

/** A proxy that answers every request with a welcome in its log, if it brings the password. */
const STRICT_PROXY = [
  'import base64, http.server, os',
  'class Proxy(http.server.BaseHTTPRequestHandler):',
  '    def do_GET(self):',
  '        known = "Basic " + base64.b64encode(b"user:p@ss").decode()',
  '        word = "welcome" if self.headers.get("Proxy-Authorization") == known else "refused"',
  // In one piece: print writes each argument apart, between those of other threads.
  '        os.write(1, (word + " " + self.requestline + chr(10)).encode())',
  '        self.send_error(200 if word == "welcome" else 407)',
  '    do_CONNECT = do_GET',
  'server = http.server.ThreadingHTTPServer(("127.0.0.1", 3128), Proxy)',
  'print("the proxy listens")',
  'server.serve_forever()',
].join('\n');

/** Variables that do not influence each other share a container. */
const GROUPS: readonly Group[] = [
  {
    title: 'with a browser that is waited for',
    env: {
      BROWSER_START_MODE: 'auto',
      HOMEPAGE: 'data:text/html,<title>at-home</title>',
      BROWSER_LANG: 'de-DE',
      BROWSER_USER_AGENT: 'TestAgent/7',
      BROWSER_RESOLUTION: '1600x900',
      PROXY_MAP: 'mapped.example=127.0.0.1:3129',
      MCP_SERVER_BROWSER_PORT: '8200',
      ...NO_KERNELS,
    },
    rows: [
      [
        '[config.homepage] HOMEPAGE is the start page of the browser',
        async (sandbox) => {
          await pollByProcess(() => devTools(sandbox, 'list')).toContain('"title": "at-home"');
        },
      ],
      [
        '[config.browser-lang] [config.browser-agent] BROWSER_LANG and BROWSER_USER_AGENT are visible to a page',
        async (sandbox) => {
          await openTab(sandbox, encodeURI(LANGUAGE_PAGE));
          await pollByProcess(() => devTools(sandbox, 'list')).toContain('"title": "de-DE TestAgent/7"');
        },
      ],
      [
        '[config.browser-resolution] BROWSER_RESOLUTION is the size of the display and of the browser',
        async (sandbox) => {
          expect(await sandbox.shell('xdpyinfo | grep dimensions')).toContain('1600x900 pixels');
          await pollByProcess(() => coversDisplay(sandbox, '1600x900')).toBe(true);
        },
      ],
      [
        '[config.proxy-map] PROXY_MAP maps single hosts to other addresses, with or without a proxy',
        async (sandbox) => {
          const server = await startWebServer(sandbox, 3129);
          await openTab(sandbox, 'http://mapped.example/there');
          await expect.poll(server.log).toContain('GET /there');
        },
      ],
      [
        '[config.mcp-browser-port] MCP_SERVER_BROWSER_PORT is the port of the browser MCP server',
        async (sandbox) => {
          const list = (): Promise<string> => callBrowserMcp(sandbox, 'tools/list', {}, 8200).catch(String);
          await pollByProcess(list).toContain('browser_snapshot');
          await expect.poll(() => sandbox.toolNames()).toContain('browser_snapshot');
          expect(await statusWith(sandbox, {}, '/proxy/8200/')).toBe(403);
        },
      ],
      [
        '[config.start-auto] BROWSER_START_MODE=auto is ready only while the browser runs',
        async (sandbox) => {
          expect(await devTools(sandbox, 'version')).toContain('Chrome/');
          await stopProgram(sandbox, 'chromium');
          // A success is reused for 5 s.
          await expect.poll(async () => (await sandbox.fetch('/ready')).status).toBe(503);
          await startProgram(sandbox, 'chromium');
        },
      ],
    ],
  },
  {
    title: 'with a browser that is not waited for',
    env: {
      BROWSER_START_MODE: 'async',
      BROWSER_EXTRA_ARGS: '--user-agent="Agent $HOME 1" --force-dark-mode',
      PROXY_SERVER: 'http://127.0.0.1:3128',
      PROXY_EXCLUDE: 'direct.example',
      ...NO_KERNELS,
    },
    rows: [
      [
        '[config.start-async] BROWSER_START_MODE=async is ready without the browser and starts it',
        async (sandbox) => {
          expect(await browserLine(sandbox)).toContain('chromium');
          await stopProgram(sandbox, 'chromium');
          expect((await sandbox.fetch('/ready')).status).toBe(200);
          await startProgram(sandbox, 'chromium');
        },
      ],
      [
        '[config.browser-args] BROWSER_EXTRA_ARGS are flags with shell quoting and without expansion',
        async (sandbox) => {
          const flags = (await browserLine(sandbox)).split('\n');
          expect(flags).toEqual(expect.arrayContaining(['--user-agent=Agent $HOME 1', '--force-dark-mode']));
        },
      ],
      [
        '[config.proxy-server] PROXY_SERVER is the proxy of the browser and of commands, PROXY_EXCLUDE its exceptions',
        async (sandbox) => {
          await browserLine(sandbox);
          const proxy = await startWebServer(sandbox, 3128);
          await sandbox.run('curl -s http://by-command.example/ http://direct.example/');
          await openTab(sandbox, 'http://by-browser.example/');
          await expect.poll(proxy.log).toContain('GET http://by-browser.example/');
          expect(await proxy.log()).toContain('GET http://by-command.example/');
          expect(await proxy.log()).not.toContain('direct.example');
        },
      ],
    ],
  },
  {
    title: 'with another port of DevTools',
    env: {
      BROWSER_REMOTE_DEBUGGING_PORT: '9333',
      BROWSER_START_MODE: 'auto',
      DISABLE_MCP_BROWSER: 'true',
      PROXY_SERVER: 'http://user:p%40ss@127.0.0.1:3128',
      ...NO_KERNELS,
    },
    rows: [
      [
        '[proxy.credentials] the browser and commands use a PROXY_SERVER with a user and a password',
        async (sandbox) => {
          const proxy = await startServer(sandbox, `exec python3 -u -c '${STRICT_PROXY}' 2>&1`, 'the proxy listens');
          await untilHealthy(sandbox);
          await openTab(sandbox, 'http://by-browser.example/', 9333);
          await openTab(sandbox, 'https://secure.example/', 9333);
          await sandbox.run('curl -s http://by-command.example/');
          for (const line of ['GET http://by-browser.example/', 'CONNECT secure.example:443', 'GET http://by-command'])
            await expect.poll(proxy.log).toContain(`welcome ${line}`);
          expect(await statusWith(sandbox, {}, '/proxy/8101/')).toBe(403);
        },
      ],
      [
        '[config.disable-mcp-browser] DISABLE_MCP_BROWSER=true keeps the browser MCP server from starting',
        async (sandbox) => {
          expect(Object.keys(await programs(sandbox))).not.toContain('browser-mcp');
          await expect(callBrowserMcp(sandbox, 'tools/list')).rejects.toThrow();
          expect(await sandbox.toolNames()).not.toContain('browser_snapshot');
        },
      ],
      [
        '[config.debugging-port] BROWSER_REMOTE_DEBUGGING_PORT is the port of DevTools',
        async (sandbox) => {
          expect(await devTools(sandbox, 'version', 9333)).toContain('Chrome/');
          expect(await devTools(sandbox, 'version')).toBe('');
        },
      ],
    ],
  },
  {
    title: 'without a browser and without a watchdog',
    env: { SVC_STALL_SECONDS: '0', ...NO_BROWSER, ...NO_KERNELS },
    rows: [
      [
        '[config.start-manual] BROWSER_START_MODE=manual starts no browser and is healthy without one',
        async (sandbox) => {
          expect(await programs(sandbox)).toMatchObject({ chromium: 'STOPPED' });
          await untilHealthy(sandbox);
        },
      ],
      [
        '[images.stall] [stall.off] SVC_STALL_SECONDS=0 starts no watchdog',
        async (sandbox) => {
          expect(Object.keys(await programs(sandbox))).not.toContain('watchdog');
          expect(await sandbox.shell('ls /run/svc')).not.toContain('heartbeat');
          await untilHealthy(sandbox);
        },
      ],
    ],
  },
];

describeGroups(GROUPS);
