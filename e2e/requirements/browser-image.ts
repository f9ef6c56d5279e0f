import { type Requirement, section } from './requirement.ts';

/** The browser as a part of the image: its life, its MCP server, its clients. */
export const BROWSER_IMAGE: readonly Requirement[] = [
  ...section('docs/contract.md §6', {
    'browser.start': 'POST browser/start asks the supervisor for the browser, once for callers at the same time',
    'browser.start-unsupported': 'POST browser/start is 501 with a hint if no supervisor takes requests',
    'browser.start-failed': 'POST browser/start is 503 if the browser does not answer within its time',
    'images.browser-start': 'in the image with the start mode manual POST browser/start starts the browser',
    'images.browser-routes':
      'the routes of the browser work in the image, through the gateway with a key, as the account',
    'images.agent-browser': 'the image has agent-browser, to which snapshot and references can be delegated',
    'images.hidden-tab': 'a tab behind another one runs its timers at their rate',
    'images.start-browser': 'the command start-browser starts the browser, for the account and for root alone',
    'images.browser-closed':
      'with the start mode manual a browser that was closed stays closed, a crashed one restarts',
    'images.start-rights': 'who asks for the browser can ask the supervisor for nothing else',
  }),
  ...section('docs/contract.md §10', {
    'cdp.discovery-root': 'the discovery is at /json too, and needs the key',
    'cdp.silent': 'a browser that accepts and says nothing is 503 within ten seconds',
  }),
  ...section('docs/contract.md §11', {
    'config.mcp-browser-port': 'MCP_SERVER_BROWSER_PORT is the port of the browser MCP server',
    'config.disable-mcp-browser': 'DISABLE_MCP_BROWSER=true keeps it from starting',
  }),
  ...section('docs/contract.md §9', {
    'mcp-browser.http': 'the browser MCP server answers each POST with one JSON document',
    'mcp-browser.stateless': 'the browser MCP server needs no session of its clients',
    'mcp-browser.origin': 'the browser MCP server refuses pages',
    'mcp-browser.host': 'the browser MCP server is reached by a loopback name only',
    'mcp-browser.refusals': 'the browser MCP server refuses what is not a message, with its status',
    'mcp-browser.in-turn': 'calls of the browser MCP server run one after another',
    'mcp-browser.hanging-call': 'a call that hangs ends, and the server starts again',
    'mcp-browser.life': 'the browser MCP server runs while a browser runs, however it was started',
    'mcp-browser.bad-tabs':
      'with a tab that is hung, crashed, blocked by a dialog or paused, every tool works on another one within 5 s',
    'mcp-browser.hung-call': 'a page that holds a call up and answers nothing is crashed, and the call ends',
    'mcp-browser.snapshot': 'answers have the snapshot itself, not the path of a file in the container',
    'mcp-browser.files':
      'file: addresses open where the account can read no credential of the services; else the error says what to do',
    'mcp-browser.listed':
      'the tools of pages are listed from /ready on, whether a browser runs or not, and a call waits for the server',
    'mcp-browser.task': 'the tools of the browser MCP server work in the browser that everybody sees',
  }),
  ...section('docs/contract.md §11', {
    'proxy.credentials': 'PROXY_SERVER may have a user and a password for the browser too',
    'images.extensions': 'unpacked extensions of /opt/svc/browser-extensions are loaded',
    'images.profile': 'the profile of the browser is kept across restarts and crashes',
    'images.downloads': 'downloads of each kind of client are where the documents say, and are fetched by the API',
    'images.crashed-tab': 'a tab that takes all memory dies, and the browser lives',
    'images.silent-browser': 'a stopped browser is 503 at /cdp, and serves when it continues',
  }),
];
