import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DaemonProcess } from '../../daemon/src/daemon-process.fixture.ts';
import { startGateway } from '../../gateway/src/gateway.fixture.ts';
import { memoryOf } from '../../scripts/testing/process-memory.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';

const MIB = 1024 ** 2;
const isWhole = process.env['TEST_EXTENT'] === 'whole';
/** Clients that read nothing. */
const CLIENTS = isWhole ? 100 : 40;

const EVENTS = 'application/json, text/event-stream';

interface Route {
  readonly name: string;
  readonly request: (file: string) => readonly [method: string, target: string, body?: string];
  readonly accept?: string;
  /** Through the gateway, as clients from outside. */
  readonly isPublic?: boolean;
}

const toolCall = (args: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: TOOL, arguments: args } });
const TOOL = 'sandbox_file_operations';

/** Routes with answers that can be large. */
const ROUTES: readonly Route[] = [
  { name: 'v2 text', request: (file) => ['GET', `/v2/fs/read?path=${file}`] },
  { name: 'v2 text through the gateway', request: (file) => ['GET', `/v2/fs/read?path=${file}`], isPublic: true },
  { name: 'v2 base64', request: (file) => ['GET', `/v2/fs/read?path=${file}&encoding=base64`] },
  { name: 'v1 file', request: (file) => ['POST', '/v1/file/read', JSON.stringify({ file })] },
  {
    name: 'v1 editor',
    request: (file) => ['POST', '/v1/file/str_replace_editor', JSON.stringify({ command: 'view', path: file })],
  },
  { name: 'v2 download', request: (file) => ['GET', `/v2/fs/download?path=${file}`] },
  {
    name: 'v2 download through the gateway',
    request: (file) => ['GET', `/v2/fs/download?path=${file}`],
    isPublic: true,
  },
  {
    name: 'command output',
    request: (file) => ['POST', '/v2/commands', JSON.stringify({ command: `head -c 8000000 ${file}` })],
  },
  { name: 'MCP', request: (path) => ['POST', '/mcp', toolCall({ action: 'read', path })], accept: 'application/json' },
  { name: 'MCP events', request: (path) => ['POST', '/mcp', toolCall({ action: 'read', path })], accept: EVENTS },
  { name: 'the document of the API', request: () => ['GET', '/v2/openapi.json'] },
  { name: 'the document of the API through the gateway', request: () => ['GET', '/v2/openapi.json'], isPublic: true },
];

test.runIf(process.platform === 'linux').each(isWhole ? ROUTES : ROUTES.slice(0, 2))(
  '[answers.flood] clients that read nothing of $name',
  async ({ request, accept = '*/*', isPublic = false }) => {
    await using directory = await tempDir();
    await using daemon = await DaemonProcess.start(directory.path, { LOG_LEVEL: 'info' });
    const daemonPort = Number(new URL(daemon.base).port);
    await using gateway = await startGateway(daemonPort);
    const port = isPublic ? gateway.port : daemonPort;
    const file = join(directory.path, 'text');
    writeFileSync(file, Buffer.alloc(16 * MIB, 'abcdefghijklmno\n'));
    const [method, target, body = ''] = request(file);
    const fields = `Host: 127.0.0.1:${port}\r\nAccept: ${accept}\r\nContent-Type: application/json\r\n`;
    const bytes = `${method} ${target} HTTP/1.1\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`;
    const before = memoryOf(daemon.child.pid ?? 0).rss;
    const sockets: Socket[] = [];
    for (let n = 0; n < CLIENTS; n += 1) {
      const socket = connect({ port, host: '127.0.0.1' }).pause();
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(bytes);
      sockets.push(socket);
      if (n % 20 === 19) expect((await fetch(`${daemon.base}/health`)).status).toBe(200);
    }
    // All of them have an answer by then: one whose head has arrived.
    await Promise.all(sockets.map((socket) => socket.readableLength > 0 || once(socket, 'readable')));
    const heads = new Set(sockets.map((socket) => String(socket.read()).slice(9, 12)));
    expect([...heads].filter((status) => status !== '200' && status !== '503')).toEqual([]);
    expect(heads).toContain('200');
    expect((await fetch(`${daemon.base}/health`)).status).toBe(200);
    expect(memoryOf(daemon.child.pid ?? 0).peak - before).toBeLessThan(768 * MIB);
    for (const socket of sockets) socket.destroy();
    const held = async (): Promise<string> => await (await fetch(`${daemon.base}/metrics`)).text();
    await expect.poll(held).toContain('\nhttp_answers_held_bytes 0\n');
  },
);
