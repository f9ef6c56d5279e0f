import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { createLogger } from '@sandbox/program/logger.ts';
import { expect, test } from 'vitest';
import { readConfig as readWorkerConfig } from '../../../computer-use/src/options.ts';
import { buildWorker } from '../../../computer-use/src/worker.ts';
import { TestApp } from '../../../daemon/src/app.fixture.ts';
import { startGateway } from '../../../gateway/src/gateway.fixture.ts';
import { ROOT } from '../../../scripts/root.ts';
import { Collector } from './collector.fixture.ts';
import { openTracing } from './tracing.ts';

const [TRACE, CLIENT] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
const TRACEPARENT = `00-${TRACE}-${CLIENT}-01`;

/** A gateway, a daemon and a worker without a display, whose traces the collector has. */
class Traced implements AsyncDisposable {
  readonly collector: Collector;
  readonly origin: string;
  readonly #parts: AsyncDisposableStack;

  private constructor(collector: Collector, origin: string, parts: AsyncDisposableStack) {
    this.collector = collector;
    this.origin = origin;
    this.#parts = parts;
  }

  static async start(): Promise<Traced> {
    const parts = new AsyncDisposableStack();
    const collector = parts.use(await Collector.listen());
    const config = readWorkerConfig([], {
      DISPLAY: ':4711',
      LOG_LEVEL: 'silent',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    const worker = await buildWorker(config, createLogger('computer-use', 'silent'));
    parts.defer(() => worker.close());
    const computerUseUrl = await worker.listen({ host: '127.0.0.1', port: 0 });
    const daemon = parts.use(await TestApp.start({ otlpEndpoint: collector.url, computerUseUrl }));
    const { port } = new URL(await daemon.listen());
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const gateway = parts.use(await startGateway(Number(port), { env }));
    return new Traced(collector, gateway.origin, parts);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts[Symbol.asyncDispose]();
  }
}

test('[traces.tree] gateway, daemon, worker and command are one tree below the span of the client', async () => {
  await using traced = await Traced.start();
  const headers = { traceparent: TRACEPARENT, 'content-type': 'application/json' };
  const body = JSON.stringify({ command: 'printf %s "$TRACEPARENT"' });
  const ran = await fetch(`${traced.origin}/v2/commands`, { method: 'POST', headers, body });
  const { stdout } = ((await ran.json()) as { data: { stdout: string } }).data;
  await (await fetch(`${traced.origin}/v2/computer/info`, { headers })).arrayBuffer();
  await expect
    .poll(() => traced.collector.paths(CLIENT))
    .toEqual([
      ['gateway: GET gateway', 'sandboxd: GET /v2/computer/info', 'computer-use: GET /v2/computer/info'],
      ['gateway: POST gateway', 'sandboxd: POST /v2/commands', 'sandboxd: command'],
    ]);
  const spans = traced.collector.spans;
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  const command = spans.find(({ name }) => name === 'command');
  expect(stdout).toBe(`00-${TRACE}-${command?.spanId}-01`);
});

test('[traces.secrets] a span names no path, query, header, command or output', async () => {
  await using traced = await Traced.start();
  const headers = { 'content-type': 'application/json', 'x-secret': 'hidden-1' };
  const body = JSON.stringify({ command: 'echo hidden-2', env: { TOKEN: 'hidden-3' } });
  await (await fetch(`${traced.origin}/v2/commands?_a=hidden-4`, { method: 'POST', headers, body })).arrayBuffer();
  await (await fetch(`${traced.origin}/v2/commands/hidden-5`)).arrayBuffer();
  await expect.poll(() => traced.collector.spans.length).toBe(5);
  expect(JSON.stringify(traced.collector.received)).not.toContain('hidden');
});

test('[traces.failure] a trace has the failure of a command, and the status of an answer', async () => {
  await using traced = await Traced.start();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ command: 'exit 7' });
  await (await fetch(`${traced.origin}/v2/commands`, { method: 'POST', headers, body })).arrayBuffer();
  await expect.poll(() => traced.collector.spans.length).toBe(3);
  const named = (name: string) => traced.collector.spans.find((span) => span.name === name);
  expect(named('command')).toMatchObject({ failed: true, attributes: { 'process.exit.code': 7 } });
  expect(named('POST /v2/commands')).toMatchObject({ failed: false, attributes: { 'http.response.status_code': 200 } });
});

test('[traces.health] health checks have no spans, a malformed traceparent begins a trace', async () => {
  await using traced = await Traced.start();
  for (const path of ['/health', '/ready']) await (await fetch(traced.origin + path)).arrayBuffer();
  await (await fetch(`${traced.origin}/v2/sandbox`, { headers: { traceparent: '00-zz-11-01' } })).arrayBuffer();
  // The daemon looks at the worker without a request of a client.
  const ofClients = () => traced.collector.names().filter((name) => !name.startsWith('computer-use'));
  await expect.poll(ofClients).toEqual(['gateway: GET gateway', 'sandboxd: GET /v2/sandbox']);
  expect(traced.collector.spans[0]?.traceId).toMatch(/^[0-9a-f]{32}$/);
});

test('[traces.collector-away] requests are answered if the collector is away', async () => {
  await using daemon = await TestApp.start({ otlpEndpoint: 'http://127.0.0.1:1' });
  expect((await daemon.run('echo hello')).stdout).toBe('hello\n');
});

test('[traces.off] without a collector a command gets no TRACEPARENT', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.post('/v2/commands', { command: 'echo "[$TRACEPARENT]"' }, { traceparent: TRACEPARENT });
  expect(answer.json().data.stdout).toBe('[]\n');
});

test('[traces.lazy] the SDK is loaded only if a collector is set', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ resolve: (name, context, next) => { loaded.push(name); return next(name, context); } });
    const { openTracing } = await import(${JSON.stringify(join(ROOT, 'program/src/tracing/tracing.ts'))});
    const tracing = await openTracing({ endpoint: process.argv[1], service: 'a', version: '1' });
    await tracing?.[Symbol.asyncDispose]();
    console.log(loaded.some((name) => name.startsWith('@opentelemetry')));`;
  const load = async (...endpoint: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, ...endpoint])).stdout.trim();
  expect([await load(), await load('http://127.0.0.1:1')]).toEqual(['false', 'true']);
});

test('[traces.last] disposal sends what is left', async () => {
  await using collector = await Collector.listen();
  const tracing = await openTracing({ endpoint: `${collector.url}/prefix/`, service: 'a', version: '1' });
  const span = tracing?.start('work', { kind: 'internal' });
  span?.end();
  span?.end({ failed: true });
  await tracing?.[Symbol.asyncDispose]();
  expect(collector.names()).toEqual(['a: work']);
  expect(collector.targets).toEqual(['POST /prefix/v1/traces']);
});
