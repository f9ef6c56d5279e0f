import { expect } from 'vitest';
import type { Sandbox } from './sandbox.ts';
import { pidOf } from './supervisor.ts';

/** Polls by a look that starts a process: one in a container takes a twentieth of a second of a processor. */
export function pollByProcess<T>(look: () => Promise<T>) {
  return expect.poll(look, { interval: 250 });
}

/** Waits until the health check reports no problem; a program counts as running some time after its start. */
export async function untilHealthy(sandbox: Sandbox): Promise<void> {
  await pollByProcess(() => sandbox.shell('/opt/svc/hooks/healthcheck 2>&1 || true')).toBe('');
}

/** Waits for the browser; resolves with its command line, one argument per line. */
export async function browserLine(sandbox: Sandbox): Promise<string> {
  await pollByProcess(() => devTools(sandbox, 'version')).toContain('Chrome/');
  return sandbox.shell(`tr "\\0" "\\n" < /proc/${await pidOf(sandbox, 'chromium')}/cmdline`);
}

/** Whether a window of the browser covers the whole display of that size. */
export async function coversDisplay(sandbox: Sandbox, size: string): Promise<boolean> {
  const windows = await sandbox.shell('xwininfo -root -tree');
  return windows.split('\n').some((line) => line.includes('"Chromium') && line.includes(` ${size}+0+0 `));
}

export function devTools(sandbox: Sandbox, path: string, port = 9222): Promise<string> {
  return sandbox.shell(`curl -s http://127.0.0.1:${port}/json/${path} || true`);
}

/** TCP addresses of the product: the public port, the daemon, the browser and its MCP server. */
const OWN_LISTENERS = ['0.0.0.0:8080', '127.0.0.1:8091', '127.0.0.1:8100', '127.0.0.1:9222'];

/**
 * Waits until the container is healthy and only the product listens on TCP. The kernel that a zygote starts and ends to
 * load its modules has a port of ipykernel meanwhile.
 */
export async function untilOwnListeners(sandbox: Sandbox): Promise<void> {
  await untilHealthy(sandbox);
  const listeners = async (): Promise<string[]> =>
    (await sandbox.shell("ss -Hltn | awk '{ print $4 }'")).split('\n').sort();
  await pollByProcess(listeners).toEqual(OWN_LISTENERS);
}

/** The response of an IDE or notebook on its unix socket. */
export function onSocket(sandbox: Sandbox, name: string, path: string): Promise<string> {
  return sandbox.shell(`curl -s --unix-socket /run/svc/user/${name}.sock http://localhost${path} || true`);
}

export function openTab(sandbox: Sandbox, url: string, port = 9222): Promise<string> {
  return sandbox.shell(`curl -s -X PUT 'http://127.0.0.1:${port}/json/new?${url}'`);
}

/** The answer of the browser MCP server to a request, which brings no session; rejects if nothing listens. */
export async function callBrowserMcp(sandbox: Sandbox, method: string, params = {}, port = 8100): Promise<string> {
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }).replaceAll("'", "'\\''");
  const url = `http://127.0.0.1:${port}/mcp`;
  return sandbox.shell(`curl -sS -m 60 -H 'content-type: application/json' -d '${message}' ${url}`);
}

/** The text that a tool of the browser MCP server answers. */
export async function useBrowserTool(sandbox: Sandbox, name: string, args: object = {}): Promise<string> {
  const answer = JSON.parse(await callBrowserMcp(sandbox, 'tools/call', { name, arguments: args }));
  return answer.result.content.map(({ text }: { text?: string }) => text ?? '').join('\n');
}

/** Starts a web server in the container that logs its requests. */
export function startWebServer(sandbox: Sandbox, port: number): Promise<{ log: () => Promise<string> }> {
  return startServer(sandbox, `exec python3 -u -m http.server --bind 127.0.0.1 ${port} 2>&1`, 'Serving HTTP');
}

/** Starts a server in the container; resolves when its output contains `said`. */
export async function startServer(
  sandbox: Sandbox,
  command: string,
  said: string,
): Promise<{ log: () => Promise<string> }> {
  const { command_id } = await sandbox.run(command, { mode: 'async' });
  const read = async (): Promise<string> => {
    const answer = await sandbox.fetch(`/v2/commands/${command_id}`);
    return ((await answer.json()) as { data: { stdout: string } }).data.stdout;
  };
  await expect.poll(read).toContain(said);
  return { log: read };
}

export async function statusWith(
  sandbox: Sandbox,
  headers: Record<string, string>,
  path = '/v2/commands',
): Promise<number> {
  return (await fetch(sandbox.url + path, { headers })).status;
}
