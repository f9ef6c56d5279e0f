import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { memoryOf } from '../testbed/memory.ts';
import { type Service, startDaemon, startGateway, startPeer } from '../testbed/services.ts';

const MEGABYTE = 1_000_000;
/** A service counts as idle after this time. */
const IDLE_MS = 2000;

export const start: Benchmark = {
  name: 'start',
  about:
    'from the start of the process to the first 200 of `/health`, compile cache warm, polled every millisecond; ' +
    'idle memory is VmRSS two seconds after that, in MB of 10^6 bytes. The peer is a `node:http` server of ten ' +
    'lines.',
  reasons: {
    'daemon ready':
      'a bare `node:http` process takes a part of it (the peer); the rest is spread over the modules, schemas and routes of ' +
      'all capabilities, most of which are loaded at start, not on first use.',
    'daemon idle memory':
      'most of it is Node itself (the peer); the rest is modules, schemas and routes of all capabilities, which are ' +
      'loaded although nothing uses them.',
    'gateway idle memory': 'Node itself (the peer) is above the goal.',
  },
  async prepare(stack) {
    const daemon = stack.use(await startDaemon());
    const readiness: Measurement = {
      rows: [
        {
          name: 'daemon ready',
          unit: 'ms',
          better: 'lower',
          goal: { words: 'under 150 ms', of: 'value', bound: 150 },
        },
      ],
      peer: 'bare node:http',
      rounds: 10,
      measureOurs: () => readyOf(startDaemon()),
      measurePeer: () => readyOf(startPeer('bare.mjs')),
    };
    const idle = (name: string, bound: number, service: () => Promise<Service>): Measurement => ({
      rows: [
        {
          name: `${name} idle memory`,
          unit: 'MB',
          better: 'lower',
          goal: { words: `under ${bound} MB`, of: 'value', bound },
        },
      ],
      peer: 'bare node:http',
      rounds: 3,
      measureOurs: () => idleOf(service()),
      measurePeer: () => idleOf(startPeer('bare.mjs')),
    });
    return [readiness, idle('daemon', 80, startDaemon), idle('gateway', 60, () => startGateway(daemon))];
  },
};

async function readyOf(starting: Promise<Service>): Promise<number[]> {
  await using service = await starting;
  return [service.readyMs];
}

async function idleOf(starting: Promise<Service>): Promise<number[]> {
  await using service = await starting;
  await delay(IDLE_MS);
  return [memoryOf(service.pid).rss / MEGABYTE];
}
