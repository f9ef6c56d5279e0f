import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { besideFloor, lower } from '../harness/rows.ts';
import { median } from '../harness/statistics.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latencies } from '../testbed/load.ts';
import { nginxBeforeDaemon } from '../testbed/nginx-config.ts';
import { type Service, startDaemon, startGateway, startNginx, startPeer } from '../testbed/services.ts';
import { NGINX, WRK, wrk } from '../testbed/wrk.ts';

const API_KEY = 'the-key-of-the-benchmark';
const HEADERS = { authorization: `Bearer ${API_KEY}` };
const CALLS = 1500;

export const gateway: Benchmark = {
  name: 'gateway',
  about:
    'a request through the gateway, through nginx, and to the daemon itself, with a key set and sent. The gateway ' +
    'relays a request and the daemon authenticates it within the same request; nginx (one worker, kept connections ' +
    "to the daemon, no access log) first asks the daemon's `/internal/auth` by `auth_request`, which it needs to " +
    'enforce the same rules. Both paths are public, so no side compares a key. Latency: medians of 1,500 calls of ' +
    'one caller; rates: `wrk -t1 -c32`.',
  reasons: {
    '/health through the gateway, p50':
      'the gateway is a second Node process on the way: each head is parsed and written once more, with two more ' +
      'reads, writes and wake-ups. nginx with the same checks takes longer (the row of `either`), and so does a plain relay of node:http (its floor).',
  },
  needs: [NGINX, WRK],
  async prepare(stack) {
    const daemon = stack.use(await startDaemon({ SVC_API_KEY: API_KEY }));
    const ours = stack.use(await startGateway(daemon));
    const nginx = stack.use(await startNginx(nginxBeforeDaemon(daemon.port)));
    const p50 = ({ port }: Service): (() => Promise<number[]>) => {
      const client = stack.use(new HttpClient(port, HEADERS));
      return async () => [median(await latencies(CALLS, async () => requireOk(await client.get('/health'))))];
    };
    const rate =
      ({ port }: Service, path: string) =>
      async () => [await wrk(port, path, { headers: HEADERS })];
    const [throughOurs, throughNginx, direct] = [p50(ours), p50(nginx), p50(daemon)];
    const throughPlain = p50(stack.use(await startPeer('relay.mjs', ['http', String(daemon.port)])));
    const added = { words: 'at most 0.12 ms more', of: 'difference', bound: 0.12 } as const;
    const share = { words: 'at least 0.8× nginx', of: 'ratio', bound: 0.8 } as const;
    const rates = (path: string): Measurement[] => [
      {
        rows: [{ name: `${path} through the gateway`, unit: '/s', better: 'higher', goal: share }],
        peer: 'nginx with auth_request',
        measureOurs: rate(ours, path),
        measurePeer: rate(nginx, path),
      },
      {
        rows: [{ name: `${path} through the gateway, against none`, unit: '/s', better: 'higher' }],
        peer: 'the daemon itself',
        rounds: 3,
        measureOurs: rate(ours, path),
        measurePeer: rate(daemon, path),
      },
    ];
    const latency: Measurement = {
      rows: [lower('/health through the gateway, p50', 'ms', added)],
      peer: 'the daemon itself',
      measureOurs: throughOurs,
      measurePeer: direct,
    };
    return [
      latency,
      besideFloor(latency, 'node:http, which forwards each request', throughPlain),
      {
        rows: [{ name: '/health through either, p50', unit: 'ms', better: 'lower' }],
        peer: 'nginx with auth_request',
        measureOurs: throughOurs,
        measurePeer: throughNginx,
      },
      ...rates('/health'),
      ...rates('/v1/ping'),
    ];
  },
};
