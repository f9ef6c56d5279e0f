import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundle } from '../../../scripts/build/bundle.ts';
import { ROOT } from '../../../scripts/root.ts';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { memoryOf } from '../../../scripts/testing/process-memory.ts';
import type { Benchmark, Goal, Measurement } from '../harness/benchmark.ts';
import { besideFloor, lower } from '../harness/rows.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { type Service, serve, startDaemon, startGateway, startPeer } from '../testbed/services.ts';

const MEGABYTE = 1_000_000;
/** A service counts as idle after this time. */
const IDLE_MS = 2000;
const FRAMEWORK = 'its framework alone';

export const start: Benchmark = {
  name: 'start',
  about:
    'from the start of the process to the first 200 of `/health`, compile cache warm, polled every millisecond; ' +
    'idle memory is VmRSS two seconds after that, in MB of 10^6 bytes. The peer is a `node:http` server of ten ' +
    'lines. Floor of the daemon: its framework alone, a program that the same build bundles, with as many routes ' +
    'as both OpenAPI documents have operations, a small schema for each body and each answer, and nothing behind them.',
  reasons: {
    'daemon ready':
      'the framework alone, with as many routes and nothing behind them, takes half of it (its floor); the rest ' +
      'is the modules and schemas of all capabilities, and the start of the process keeper.',
    'daemon idle memory':
      'most of it is Node itself (the peer) and the framework with as many routes (its floor); the rest is ' +
      'modules and schemas of all capabilities, which are loaded although nothing uses them.',
  },
  async prepare(stack) {
    const daemon = stack.use(await startDaemon());
    const framework = await frameworkAlone(stack, daemon);
    const ready = (name: string, service: () => Promise<Service>, goal: Goal): Measurement => ({
      rows: [lower(name, 'ms', goal)],
      peer: 'bare node:http',
      rounds: 10,
      measureOurs: () => readyOf(service()),
      measurePeer: () => readyOf(startPeer('bare.mjs')),
    });
    const idle = (name: string, service: () => Promise<Service>, goal: Goal): Measurement => ({
      rows: [lower(`${name} idle memory`, 'MB', goal)],
      peer: 'bare node:http',
      measureOurs: () => idleOf(service()),
      measurePeer: () => idleOf(startPeer('bare.mjs')),
    });
    const daemonReady = ready('daemon ready', startDaemon, atMost(1.5));
    const daemonIdle = idle('daemon', startDaemon, atMost(1.4));
    return [
      daemonReady,
      besideFloor(daemonReady, FRAMEWORK, () => readyOf(framework())),
      daemonIdle,
      besideFloor(daemonIdle, FRAMEWORK, () => idleOf(framework())),
      idle('gateway', () => startGateway(daemon), atMost(1.15)),
    ];
  },
};

function atMost(bound: number): Goal {
  return { words: `at most ${bound}× bare node:http`, of: 'ratio', bound };
}

/** Bundles the framework with as many routes as the daemon has; starts it each time that it is called. */
async function frameworkAlone(stack: AsyncDisposableStack, daemon: Service): Promise<() => Promise<Service>> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-frame-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  await bundle(ROOT, [{ name: 'frame', main: 'e2e/bench/peers/frame.mjs' }], directory);
  const count = (await operationsOf(daemon, 'v1')) + (await operationsOf(daemon, 'v2'));
  const begin = async (): Promise<Service> => {
    const port = await freePort();
    const file = join(directory, 'frame.mjs');
    return serve([process.execPath, '--max-semi-space-size=4', file, String(port), String(count)], { port, env: {} });
  };
  // The first start fills the compile cache.
  await (await begin())[Symbol.asyncDispose]();
  return begin;
}

async function operationsOf({ port }: Service, surface: 'v1' | 'v2'): Promise<number> {
  using client = new HttpClient(port);
  const { paths } = JSON.parse(requireOk(await client.get(`/${surface}/openapi.json`))) as { paths: object };
  return Object.values(paths).reduce((sum, methods: object) => sum + Object.keys(methods).length, 0);
}

async function readyOf(starting: Promise<Service>): Promise<number[]> {
  await using service = await starting;
  return [service.readyMs];
}

async function idleOf(starting: Promise<Service>): Promise<number[]> {
  await using service = await starting;
  await delay(IDLE_MS);
  return [memoryOf(service.pid).rss / MEGABYTE];
}
