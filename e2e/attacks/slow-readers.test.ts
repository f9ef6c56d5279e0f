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
  /** Makes what is asked for; the result is appended to the target of the request. */
  readonly prepare?: (post: Post, file: string) => Promise<string>;
}

/** The data of an answer. */
type Post = (path: string, body: object) => Promise<Record<string, string>>;

/** Entries of a list at most. */
const ENTRIES = 10_000;
const OUTPUT_BYTES = 7_000_000;

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
  {
    name: 'matches of a search',
    request: (path) => [
      'POST',
      '/v2/fs/grep',
      JSON.stringify({ path, pattern: 'abc', max_results: ENTRIES, context_before: 20, context_after: 20 }),
    ],
  },
  {
    name: 'a list of 10,000 entries',
    request: (file) => ['GET', `/v2/fs/list?recursive=true&limit=${ENTRIES}&path=${file}.many`],
    prepare: async (post, file) => {
      await post('/v2/commands', {
        command: `mkdir ${file}.many; cd ${file}.many; seq -f %080g ${ENTRIES} | xargs touch`,
      });
      return '';
    },
  },
  {
    name: 'names of 10,000 files',
    request: (file) => ['GET', `/v2/fs/search?pattern=*&limit=${ENTRIES}&path=${file}.many`],
    prepare: async (post, file) => {
      await post('/v2/commands', {
        command: `mkdir ${file}.many; cd ${file}.many; seq -f %080g ${ENTRIES} | xargs touch`,
      });
      return '';
    },
  },
  {
    name: 'output of a command by offset',
    request: () => ['GET', '/v2/commands/'],
    prepare: async (post, file) => {
      const command = `head -c ${OUTPUT_BYTES} ${file}`;
      const { command_id } = await post('/v2/commands', { command, max_output_length: 100 });
      return `${command_id}?limit=${OUTPUT_BYTES}`;
    },
  },
  {
    name: 'commands of a terminal',
    request: () => ['POST', '/v1/shell/view', JSON.stringify({ id: 'a' })],
    prepare: async (post, file) => {
      await post('/v2/pty/sessions', { id: 'a', command: 'bash', args: ['--norc'], env: { PS1: '$ ' } });
      await post('/v2/pty/sessions/a/exec', { command: `head -c ${OUTPUT_BYTES} ${file}`, timeout: 60 });
      return '';
    },
  },
  {
    name: 'outputs of a cell',
    request: () => ['GET', '/v2/code/executions/'],
    prepare: async (post) => {
      const code = `for (let n = 0; n < 70; n += 1) console.log('x'.repeat(100_000))`;
      const { execution_id } = await post('/v2/code/execute', { language: 'javascript', code });
      return String(execution_id);
    },
  },
  { name: 'the document of the API', request: () => ['GET', '/v2/openapi.json'] },
  { name: 'the document of the API through the gateway', request: () => ['GET', '/v2/openapi.json'], isPublic: true },
];

test.runIf(process.platform === 'linux').each(isWhole ? ROUTES : ROUTES.slice(0, 2))(
  '[answers.flood] clients that read nothing of $name',
  async ({ request, accept = '*/*', isPublic = false, prepare }) => {
    await using directory = await tempDir();
    await using daemon = await DaemonProcess.start(directory.path, { LOG_LEVEL: 'info' });
    const daemonPort = Number(new URL(daemon.base).port);
    await using gateway = await startGateway(daemonPort);
    const port = isPublic ? gateway.port : daemonPort;
    const file = join(directory.path, 'text');
    writeFileSync(file, Buffer.alloc(16 * MIB, 'abcdefghijklmno\n'));
    const post: Post = async (path, data) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(daemon.base + path, { method: 'POST', headers, body: JSON.stringify(data) });
      expect([path, answer.status]).toEqual([path, 200]);
      return ((await answer.json()) as { data: Record<string, string> }).data;
    };
    const [method, path, body = ''] = request(file);
    const target = path + ((await prepare?.(post, file)) ?? '');
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
