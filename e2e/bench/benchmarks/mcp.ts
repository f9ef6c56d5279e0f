import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { lower } from '../harness/rows.ts';
import { median } from '../harness/statistics.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latencies, rateOf } from '../testbed/load.ts';
import { type Service, startDaemon, startPeer } from '../testbed/services.ts';

const CALLS = 400;
const CALLERS = 64;
const CALLS_OF_ALL = 4000;
const MANY_TOOLS = 500;

interface Caller {
  readonly http: HttpClient;
  readonly request: (method: string, params: object) => Promise<string>;
  readonly call: (name: string, args: object) => Promise<string>;
}

export const mcp: Benchmark = {
  name: 'mcp',
  about:
    'the MCP hub by plain posts, without a handshake, at the daemon: medians of 400 calls of one caller. A call of a ' +
    'tool against the REST route that does the same: `sandbox_file_operations` reads a file of 1 KiB, ' +
    '`sandbox_execute_bash` runs `true`. Another server: a minimal `node:http` MCP server on loopback, whose tool the ' +
    'hub calls, against the same server called directly. 64 callers share 4,000 reads, against `POST /v1/file/read`. 500 tools of another server are ' +
    'listed with the built-in ones; the hub asks for them anew every 5 s.',
  reasons: {
    [`reads a second, ${CALLERS} callers`]:
      'A result is answered twice, as text and as structured content, in a message that is checked, registered for its ' +
      'cancellation and wrapped. With one caller that costs 0.15 ms of 0.5; 64 callers keep the one thread busy, so ' +
      'that each part counts in the rate.',
  },
  async prepare(stack) {
    const other = stack.use(await startPeer('tools.mjs', ['1']));
    const many = stack.use(await startPeer('tools.mjs', [String(MANY_TOOLS)]));
    const alone = callerOf(stack, stack.use(await startDaemon()));
    const hub = callerOf(stack, stack.use(await startDaemon(serversOf({ other }))));
    const crowded = callerOf(stack, stack.use(await startDaemon(serversOf({ other: many }))));
    const [direct, directly] = [callerOf(stack, other), callerOf(stack, many)];
    const path = fileIn(stack);
    const read = () => alone.call('sandbox_file_operations', { action: 'read', path });
    const readByPost = async () => requireOk(await alone.http.post('/v1/file/read', { file: path }));
    const readByRest = async () => requireOk(await alone.http.get(`/v2/fs/read?path=${path}`));
    return [
      {
        rows: [lower('tools/list', 'ms', { words: 'under 3 ms', of: 'value', bound: 3 })],
        peer: '/health',
        measureOurs: () => medianOf(() => alone.request('tools/list', {})),
        measurePeer: () => medianOf(async () => requireOk(await alone.http.get('/health'))),
      },
      against('a read', 'the REST route', read, readByRest),
      against(
        'a command',
        'the REST route',
        () => alone.call('sandbox_execute_bash', { cmd: 'true' }),
        async () => requireOk(await alone.http.post('/v2/commands', { command: 'true' })),
      ),
      {
        rows: [lower("another server's tool", 'ms', { words: 'at most 3 ms more', of: 'difference', bound: 3 })],
        peer: 'that server directly',
        measureOurs: () => medianOf(() => hub.call('other_tool_0', { path })),
        measurePeer: () => medianOf(() => direct.call('tool_0', { path })),
      },
      {
        rows: [
          {
            name: `reads a second, ${CALLERS} callers`,
            unit: '/s',
            better: 'higher',
            goal: { words: 'at least 0.8× the REST route', of: 'ratio', bound: 0.8 },
          },
        ],
        peer: 'the REST route',
        rounds: 3,
        measureOurs: async () => [await rateOf(CALLERS, CALLS_OF_ALL, read)],
        measurePeer: async () => [await rateOf(CALLERS, CALLS_OF_ALL, readByPost)],
      },
      {
        rows: [
          lower(`tools/list with ${MANY_TOOLS} more tools`, 'ms', { words: 'under 20 ms', of: 'value', bound: 20 }),
        ],
        peer: 'that server directly',
        measureOurs: () => medianOf(() => crowded.request('tools/list', {}), 100),
        measurePeer: () => medianOf(() => directly.request('tools/list', {}), 100),
      },
    ];
  },
};

function against(
  name: string,
  peer: string,
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
): Measurement {
  return {
    rows: [lower(name, 'ms', { words: 'at most 1.5 ms more', of: 'difference', bound: 1.5 })],
    peer,
    measureOurs: () => medianOf(ours),
    measurePeer: () => medianOf(theirs),
  };
}

async function medianOf(call: () => Promise<unknown>, count = CALLS): Promise<number[]> {
  await latencies(20, call);
  return [median(await latencies(count, call))];
}

function callerOf(stack: AsyncDisposableStack, { port }: Service): Caller {
  const http = stack.use(new HttpClient(port));
  const request = async (method: string, params: object): Promise<string> => {
    const body = requireOk(await http.post('/mcp', { jsonrpc: '2.0', id: 1, method, params }));
    if (body.includes('"error"') || body.includes('"isError":true')) throw new Error(body.slice(0, 300));
    return body;
  };
  return { http, request, call: (name, args) => request('tools/call', { name, arguments: args }) };
}

/** The variables with which the hub publishes the tools of these servers, each under its name as prefix. */
function serversOf(servers: Readonly<Record<string, Service>>): Record<string, string> {
  const entries = Object.entries(servers).map(([prefix, { port }]) => [
    prefix,
    { url: `http://127.0.0.1:${port}/mcp`, prefix },
  ]);
  return { EXTRA_MCP_SERVERS: JSON.stringify(Object.fromEntries(entries)) };
}

function fileIn(stack: AsyncDisposableStack): string {
  const directory = mkdtempSync(join(tmpdir(), 'bench-mcp-'));
  stack.defer(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'text');
  writeFileSync(path, 'x'.repeat(1023).concat('\n'));
  return path;
}
