import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway } from '../../../../../gateway/src/gateway.fixture.ts';
import { freePort } from '../../../../../scripts/testing/free-port.ts';
import { TestApp } from '../../../app.fixture.ts';
import { descriptorOf } from '../../../http/rpc/descriptors.ts';
import { reflectionApi } from '../../../http/rpc/reflection.ts';
import type { ServiceType } from '../../../http/rpc/wire-types.ts';
import { HealthApi, ProcessApi } from './wire.ts';

// biome-ignore lint/suspicious/noExplicitAny: the descriptors are made when the test runs
type AnyMethod = (...args: any[]) => any;
type Client = Readonly<
  Record<'start' | 'execute' | 'writeStdin' | 'sendSignal' | 'resizeTTY' | 'check' | 'serverReflectionInfo', AnyMethod>
>;
type Event = { readonly event: { readonly case: string; readonly value: never } };

const KEY = 'key-of-grpc';
let root: string;
let app: TestApp;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let port: number;
let client: Client;

function clientOf(service: ServiceType, headers: Readonly<Record<string, string>>): Client {
  const transport = createGrpcTransport({
    baseUrl: `http://127.0.0.1:${port}`,
    interceptors: [
      (next) => (request) => {
        for (const [name, value] of Object.entries(headers)) request.header.set(name, value);
        return next(request);
      },
    ],
  });
  return createClient(descriptorOf(service), transport) as unknown as Client;
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'grpc-root-'));
  app = await TestApp.start({ sandboxd: true, sandboxdRoot: root, apiKey: KEY });
  port = await freePort();
  const daemonPort = Number(new URL(await app.listen()).port);
  gateway = await startGateway(daemonPort, { env: { SVC_SANDBOXD_GRPC_PORT: String(port) } });
  client = clientOf(ProcessApi, { authorization: `Bearer ${KEY}` });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

async function execute(...command: string[]) {
  const { exitCode, stdout, stderr } = await client.execute({ config: { command } });
  return [exitCode, Buffer.from(stdout).toString(), Buffer.from(stderr).toString()];
}

/** Reads a stream that has begun: `init` comes first, `exit` last. */
async function drain(events: AsyncIterator<Event>) {
  const all = { stdout: '', stderr: '', exit: undefined as number | undefined };
  for (let next = await events.next(); !next.done; next = await events.next()) {
    const { case: kind, value } = next.value.event;
    expect([kind, all.exit]).toEqual([kind, undefined]);
    expect(kind).not.toBe('init');
    if (kind === 'exit') all.exit = (value as { exitCode: number }).exitCode;
    else all[kind as 'stdout' | 'stderr'] += Buffer.from(value).toString();
  }
  expect(all.exit).toBeDefined();
  return all;
}

async function start(config: object, pty?: object, options: object = {}) {
  const stream = client.start({ config, ...(pty && { pty }) }, options) as AsyncIterable<Event>;
  const events = stream[Symbol.asyncIterator]();
  const first = (await events.next()).value as Event;
  expect(first.event.case).toBe('init');
  const { processId } = first.event.value as { processId: number };
  expect(processId).toBeGreaterThan(0);
  return { events, processId };
}

async function codeOf(work: Promise<unknown>): Promise<Code | undefined> {
  return await work.then(
    () => undefined,
    (error: unknown) => ConnectError.from(error).code,
  );
}

test('[sandboxd.process] Execute has both outputs, the exit code, variables and the directory', async () => {
  mkdirSync(join(root, 'sub'), { recursive: true });
  expect(await execute('echo', 'hello')).toEqual([0, 'hello\n', '']);
  expect(await execute('sh', '-c', 'echo e >&2; exit 3')).toEqual([3, '', 'e\n']);
  expect((await execute('sh', '-c', 'kill -9 $$'))[0]).toBe(-1);
  const config = { command: ['sh', '-c', 'echo $OWN; pwd'], envVars: { OWN: 'sentinel' }, cwd: 'sub' };
  const { stdout } = await client.execute({ config });
  expect(Buffer.from(stdout).toString()).toMatch(/^sentinel\n.*\/sub\n$/);
  writeFileSync(join(root, 'by-rest'), 'hello from REST');
  expect(await execute('cat', 'by-rest')).toEqual([0, 'hello from REST', '']);
  expect((await app.inject({ url: '/v2/commands', headers: { 'x-api-key': KEY } })).body).toContain('cat by-rest');
});

test('[sandboxd.process] a call that is wrong has the code of its fault', async () => {
  const of = (config: object) => codeOf(client.execute({ config }));
  expect(await of({})).toBe(Code.InvalidArgument);
  expect(await codeOf(client.execute({}))).toBe(Code.InvalidArgument);
  expect(await of({ command: ['pwd'], cwd: '../..' })).toBe(Code.PermissionDenied);
  expect(await of({ command: ['pwd'], cwd: 'none' })).toBe(Code.NotFound);
  expect(await of({ command: ['/no/such/program'] })).toBe(Code.NotFound);
  expect(await of({ command: ['head', '-c', '9000000', '/dev/zero'] })).toBe(Code.ResourceExhausted);
  const processId = 424_242;
  expect(await codeOf(client.writeStdin({ processId, payload: { case: 'eof', value: {} } }))).toBe(Code.NotFound);
  expect(await codeOf(client.sendSignal({ processId, signal: 15 }))).toBe(Code.NotFound);
  expect(await codeOf(client.resizeTTY({ processId, cols: 80, rows: 24 }))).toBe(Code.NotFound);
});

test('[sandboxd.process] Start streams both outputs between init and exit; stdin is written and ended', async () => {
  const { events } = await start({ command: ['sh', '-c', 'echo out; echo err 1>&2; exit 7'] });
  expect(await drain(events)).toEqual({ stdout: 'out\n', stderr: 'err\n', exit: 7 });
  const cat = await start({ command: ['cat'] });
  const { processId } = cat;
  await client.writeStdin({ processId, payload: { case: 'input', value: Buffer.from('piped-through') } });
  expect(await codeOf(client.sendSignal({ processId }))).toBe(Code.InvalidArgument);
  expect(await codeOf(client.resizeTTY({ processId, cols: 80, rows: 24 }))).toBe(Code.FailedPrecondition);
  await client.writeStdin({ processId, payload: { case: 'eof', value: {} } });
  expect(await drain(cat.events)).toEqual({ stdout: 'piped-through', stderr: '', exit: 0 });
  expect(await codeOf(client.sendSignal({ processId, signal: 15 }))).toBe(Code.NotFound);
});

test.each([2, 9, 15])('[sandboxd.process] the signal %d ends a process and what it has started', async (signal) => {
  const { events, processId } = await start({ command: ['sh', '-c', 'sleep 300 & wait'] });
  await client.sendSignal({ processId, signal });
  expect((await drain(events)).exit).not.toBe(0);
});

test('[sandboxd.process] a terminal has its size, is resized, interrupted and ended', async () => {
  const sized = await start({ command: ['sh', '-c', 'stty size'] }, { cols: 80, rows: 24 });
  expect(await drain(sized.events)).toMatchObject({ stdout: expect.stringContaining('24 80'), exit: 0 });
  const cat = await start({ command: ['cat'] }, { cols: 80, rows: 24 });
  await client.resizeTTY({ processId: cat.processId, cols: 120, rows: 40 });
  await client.sendSignal({ processId: cat.processId, signal: 2 });
  expect((await drain(cat.events)).exit).not.toBe(0);
  const other = await start({ command: ['cat'] }, { cols: 80, rows: 24 });
  await client.sendSignal({ processId: other.processId, signal: 9 });
  expect((await drain(other.events)).exit).not.toBe(0);
});

async function isGone(marker: string): Promise<void> {
  for (;;) {
    const [code] = await execute('sh', '-c', `grep -qzs ^${marker}$ /proc/[0-9]*/cmdline`);
    if (code !== 0) return;
  }
}

test('[sandboxd.process] a deadline, and a client that leaves, end the process', async () => {
  const command = (marker: string) => ['sh', '-c', 'sleep 300; :', marker];
  const timed = client.execute({ config: { command: command('marker-of-execute') } }, { timeoutMs: 300 });
  expect(await codeOf(timed)).toBe(Code.DeadlineExceeded);
  const { events } = await start({ command: command('marker-of-start') }, undefined, { timeoutMs: 1500 });
  expect(await codeOf(drain(events))).toBe(Code.DeadlineExceeded);
  const leaving = new AbortController();
  const left = await start({ command: command('marker-of-cancel') }, undefined, { signal: leaving.signal });
  leaving.abort();
  expect(await codeOf(drain(left.events))).toBe(Code.Canceled);
  for (const marker of ['marker-of-execute', 'marker-of-start', 'marker-of-cancel']) await isGone(marker);
});

test('[sandboxd.grpc] a call needs the key, as bearer or as x-api-key; the health check needs none', async () => {
  const config = { command: ['true'] };
  for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
    expect(await codeOf(clientOf(ProcessApi, headers).execute({ config }))).toBe(Code.Unauthenticated);
  }
  expect((await clientOf(ProcessApi, { 'x-api-key': KEY }).execute({ config })).exitCode).toBe(0);
  const health = clientOf(HealthApi, {});
  expect((await health.check({})).status).toBe(1);
  expect((await health.check({ service: 'process.v1.ProcessService' })).status).toBe(1);
  expect(await codeOf(health.check({ service: 'none' }))).toBe(Code.NotFound);
});

test.each(['v1', 'v1alpha'] as const)(
  '[sandboxd.grpc] clients learn the services by reflection %s',
  async (version) => {
    const reflection = clientOf(reflectionApi(version), { 'x-api-key': KEY });
    const asked = [
      { case: 'listServices', value: '' },
      { case: 'fileContainingSymbol', value: 'process.v1.StartRequest' },
      { case: 'fileContainingSymbol', value: 'none' },
    ];
    const answers: unknown[] = [];
    async function* requests() {
      // Each one is sent after the answer to the one before it: both directions are open at once.
      for (const [i, messageRequest] of asked.entries()) {
        while (answers.length < i) await new Promise(setImmediate);
        yield { host: 'h', messageRequest };
      }
    }
    for await (const { messageResponse } of reflection.serverReflectionInfo(requests())) answers.push(messageResponse);
    const names = (answers[0] as { value: { service: { name: string }[] } }).value.service.map(({ name }) => name);
    expect(names).toContain('process.v1.ProcessService');
    expect(answers[1]).toMatchObject({ case: 'fileDescriptorResponse' });
    expect(answers[2]).toMatchObject({ case: 'errorResponse', value: { errorCode: 5 } });
  },
);

test('[sandboxd.grpc] other requests, paths and bytes end with an error, and the listener serves on', async () => {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const status = async (headers: Record<string, string>): Promise<unknown> => {
    const stream = session.request({ 'x-api-key': KEY, ...headers }, { endStream: true });
    const [answer] = await once(stream, 'response');
    stream.resume();
    return answer['grpc-status'] ?? answer[':status'];
  };
  const grpc = { ':method': 'POST', 'content-type': 'application/grpc' };
  expect(await status({ ':method': 'GET', ':path': '/' })).toBe(405);
  expect(await status({ ':method': 'POST', ':path': '/', 'content-type': 'application/json' })).toBe(415);
  expect(await status({ ...grpc, ':path': '/process.v1.ProcessService/None' })).toBe('12');
  expect(await status({ ...grpc, ':path': '/v1/health' })).not.toBe('0');
  session.close();
  const raw = connectTcp(port, '127.0.0.1');
  raw.end('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(await text(raw)).not.toContain('200');
  expect(await execute('echo', 'alive')).toEqual([0, 'alive\n', '']);
});

test('[sandboxd.grpc] a client that cancels calls at once is cut, and others are served', async () => {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  const ended = new Promise((resolve) => session.once('close', resolve));
  const headers = {
    ':method': 'POST',
    ':path': '/process.v1.ProcessService/Execute',
    'content-type': 'application/grpc',
  };
  for (let i = 0; i < 2_000 && !session.closed; i += 1) {
    const stream = session.request(headers);
    stream.on('error', () => {});
    stream.close(constants.NGHTTP2_CANCEL);
    if (i % 50 === 0) await new Promise(setImmediate);
  }
  await ended;
  expect(await execute('echo', 'alive')).toEqual([0, 'alive\n', '']);
});
