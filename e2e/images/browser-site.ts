import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startServer, untilHealthy } from './observe.ts';
import type { Sandbox } from './sandbox.ts';

const PORT = 3200;
/** As the browser of the container reaches it. */
export const SITE = `http://127.0.0.1:${PORT}`;

/** The address of a page with that content. */
export function given(html: string): string {
  return `${SITE}/given?${encodeURIComponent(html)}`;
}

/** An answer of the API. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the body of any route.
  readonly body: any;
}

export async function ask(of: Sandbox, method: string, path: string, body?: object): Promise<Answer> {
  const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await of.fetch(path, { method, ...(body && json) });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Opens the site of the tests in the container. */
export async function openSite(of: Sandbox): Promise<void> {
  await untilHealthy(of);
  const content = await readFile(join(import.meta.dirname, 'browser-site.cjs'));
  await of.container.copyContentToContainer([{ content, target: '/tmp/browser-site.cjs', mode: 0o644 }]);
  await startServer(of, `exec node /tmp/browser-site.cjs ${PORT}`, 'the site is open');
}
