import type { Sandbox } from '../../images/sandbox.ts';
import { agentBrowserHands } from './agent-browser.ts';
import { devtoolsMcpHands } from './devtools-mcp.ts';
import { playwrightHands, puppeteerHands } from './libraries.ts';
import type { Hands } from './task.ts';

/** Each client of DevTools, and how it connects to a sandbox; browser-use is a program of its own. */
export function clientsWith(key: string): readonly (readonly [string, (sandbox: Sandbox) => Promise<Hands>])[] {
  const headers = { 'x-api-key': key };
  const socket = ({ url }: Sandbox): string => `${url.replace('http', 'ws')}/cdp`;
  const query = `?api_key=${key}`;
  return [
    ['Playwright by /cdp with the key in a header', ({ url }) => playwrightHands(`${url}/cdp`, headers)],
    ['Playwright by cdp_url with api_key', (sandbox) => playwrightHands(socket(sandbox) + query, {})],
    ['Puppeteer by browserWSEndpoint', (sandbox) => puppeteerHands({ browserWSEndpoint: socket(sandbox) + query })],
    ['Puppeteer by browserURL with headers', ({ url }) => puppeteerHands({ browserURL: url, headers })],
    ['chrome-devtools-mcp', (sandbox) => devtoolsMcpHands(socket(sandbox), headers)],
    ['agent-browser', (sandbox) => agentBrowserHands(sandbox, `ws://127.0.0.1:8080/cdp${query}`)],
  ];
}
