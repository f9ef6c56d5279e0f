import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { Services } from '../services.ts';

const SECOND_MS = 1000;

/** How an open connection ended: the close code of a WebSocket or `end`, and when. */
interface End {
  readonly how: number | 'end';
  readonly at: number;
}

interface Open {
  readonly what: string;
  readonly end: Promise<End>;
  readonly isOpen: () => boolean;
  readonly close: () => void;
}

/** A browser and an application of a preview: WebSockets that say something, and streams that go on. */
function startApplication(): Promise<Server> {
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    if (req.url === '/json/version') {
      res.end(JSON.stringify({ webSocketDebuggerUrl: 'ws://localhost/devtools/browser/x' }));
    } else res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: hi\n\n');
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.send('hi'));
  return listening(server);
}

async function listening<S extends Server>(server: S): Promise<S> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: { address(): unknown }): number {
  return (server.address() as AddressInfo).port;
}

async function openSocket(url: string, headers: Record<string, string>): Promise<Open> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers });
  socket.on('error', () => undefined);
  const end = once(socket, 'close').then(([how]) => ({ how: how as number, at: performance.now() }));
  await once(socket, 'open');
  const isOpen = () => socket.readyState === WebSocket.OPEN;
  return { what: new URL(url).pathname, end, isOpen, close: () => socket.terminate() };
}

async function openStream(url: string, headers: Record<string, string>, init: RequestInit = {}): Promise<Open> {
  const stop = new AbortController();
  const answer = await fetch(url, { headers, signal: stop.signal, ...init });
  expect([url, answer.status]).toEqual([url, 200]);
  let hasEnded = false;
  const read = async (): Promise<End> => {
    try {
      for await (const _ of answer.body ?? []);
    } catch {
      // The connection was cut.
    }
    hasEnded = true;
    return { how: 'end', at: performance.now() };
  };
  return { what: new URL(url).pathname, end: read(), isOpen: () => !hasEnded, close: () => stop.abort() };
}

async function watcher(url: string, headers: Record<string, string>): Promise<string> {
  const body = JSON.stringify({ path: import.meta.dirname });
  const answer = await fetch(`${url}/v2/watch`, { method: 'POST', headers, body });
  const { data } = (await answer.json()) as { data: { watcher_id: string } };
  return data.watcher_id;
}

/** One connection of each kind. */
async function openEach(url: string, port: number, key: Record<string, string>): Promise<Open[]> {
  const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) });
  const command = { command: 'echo hi; sleep 120' };
  const events = { ...key, accept: 'text/event-stream' };
  const lines = { ...key, accept: 'application/x-ndjson' };
  const call = {
    name: 'sandbox_execute_bash',
    arguments: { cmd: 'sleep 120', timeout: 120 },
    _meta: { progressToken: 1 },
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
  const both = { ...key, accept: 'application/json, text/event-stream' };
  return [
    await openSocket(`${url}/v2/pty/ws`, key),
    await openSocket(`${url}/cdp`, key),
    await openSocket(`${url}/cdp/devtools/page/1`, key),
    await openSocket(`${url}/websockify`, key),
    await openSocket(`${url}/proxy/${port}/socket`, key),
    await openStream(`${url}/proxy/${port}/events`, key),
    await openStream(`${url}/v2/commands`, events, post(command)),
    await openStream(`${url}/v2/commands`, lines, post(command)),
    await openStream(`${url}/v2/watch/${await watcher(url, key)}/events`, events),
    await openStream(`${url}/mcp`, both, post(message)),
  ];
}

/** The services with something behind each of the gateway's paths. */
async function startAll(env: Record<string, string>) {
  const application = await startApplication();
  const rfb = createTcpServer((socket) => socket.on('error', () => undefined).write('RFB 003.008\n'));
  rfb.listen(0, '127.0.0.1');
  await once(rfb, 'listening');
  const services = await Services.start({
    BROWSER_REMOTE_DEBUGGING_PORT: String(portOf(application)),
    GATEWAY_VNC: `127.0.0.1:${portOf(rfb)}`,
    ...env,
  });
  return {
    services,
    // Another port than the browser's, which is the product's own.
    preview: await startApplication(),
    async [Symbol.asyncDispose]() {
      await services[Symbol.asyncDispose]();
      application.close();
      application.closeAllConnections();
      rfb.close();
    },
  };
}

test('[access.withdrawn] a new key ends every kind of connection of the old one within a second', async () => {
  await using directory = await tempDir();
  const file = join(directory.path, 'key');
  await writeFile(file, 'first-key');
  await using all = await startAll({ SVC_API_KEY_FILE: file });
  const open = await openEach(all.services.url, portOf(all.preview), { 'x-api-key': 'first-key' });
  expect(open.filter(({ isOpen }) => !isOpen()).map(({ what }) => what)).toEqual([]);
  await writeFile(file, 'second-key');
  const at = performance.now();
  for (const { what, end } of open) {
    const { how, at: endedAt } = await end;
    expect([what, [4401, 'end'].includes(how), endedAt - at < SECOND_MS]).toEqual([what, true, true]);
  }
  all.preview.closeAllConnections();
  all.preview.close();
});

test('[keys.alone] a removed key ends 50 mixed connections within a second, and none of 50 of another key', async () => {
  await using directory = await tempDir();
  const file = join(directory.path, 'keys.jsonl');
  const line = (name: string): string => `${JSON.stringify({ name, key: `key-of-${name}`, scopes: ['all'] })}\n`;
  await writeFile(file, line('ann') + line('bob'));
  await using all = await startAll({ SVC_ACCESS_KEYS_FILE: file });
  const { url } = all.services;
  const openFive = async (name: string): Promise<Open[]> => {
    const sets: Open[][] = [];
    for (let i = 0; i < 5; i += 1)
      sets.push(await openEach(url, portOf(all.preview), { 'x-api-key': `key-of-${name}` }));
    return sets.flat();
  };
  const [gone, stay] = [await openFive('ann'), await openFive('bob')];
  expect([gone.length, stay.length]).toEqual([50, 50]);
  await writeFile(file, line('bob'));
  const at = performance.now();
  const ends = await Promise.all(gone.map(({ end }) => end));
  const last = Math.max(...ends.map((end) => end.at - at));
  console.info(`50 connections ended within ${last.toFixed(0)} ms`);
  expect(last).toBeLessThan(SECOND_MS);
  expect(gone.filter((_, i) => ![4401, 'end'].includes(ends[i]?.how ?? 0)).map(({ what }) => what)).toEqual([]);
  expect(stay.filter(({ isOpen }) => !isOpen()).map(({ what }) => what)).toEqual([]);
  for (const { close } of stay) close();
  all.preview.closeAllConnections();
  all.preview.close();
});
