import type { Benchmark } from '../harness/benchmark.ts';
import { median } from '../harness/statistics.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { latencies } from '../testbed/load.ts';
import { startDaemon } from '../testbed/services.ts';

const READS = 200;

interface Paths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export const metrics: Benchmark = {
  name: 'metrics',
  about:
    '`GET /metrics` at the daemon with every series filled: each route of both documents was requested, and a command, ' +
    'a terminal and a watcher have been there. The time of one of 200 reads, one after the other; the peer is ' +
    '`GET /health`.',
  async prepare(stack) {
    const daemon = stack.use(await startDaemon());
    const http = stack.use(new HttpClient(daemon.port));
    for (const surface of ['v1', 'v2']) {
      const { paths } = JSON.parse(requireOk(await http.get(`/${surface}/openapi.json`))) as Paths;
      for (const [path, operations] of Object.entries(paths)) {
        const url = path.replaceAll(/\{\w+\}/g, 'none');
        if ('get' in operations) await http.get(url);
        if ('post' in operations && !path.includes('claim')) await http.post(url, { none: true });
      }
    }
    requireOk(await http.post('/v2/commands', { command: 'true' }));
    requireOk(await http.post('/v2/pty/sessions', {}));
    requireOk(await http.post('/v2/watch', { path: '/tmp', recursive: false }));
    const timeOf = async (path: string): Promise<number[]> => [
      median(await latencies(READS, async () => requireOk(await http.get(path)))),
    ];
    return [
      {
        rows: [
          {
            name: 'every series filled',
            unit: 'ms',
            better: 'lower',
            goal: { words: 'under 5 ms', of: 'value', bound: 5 },
          },
        ],
        peer: '/health',
        measureOurs: () => timeOf('/metrics'),
        measurePeer: () => timeOf('/health'),
      },
    ];
  },
};
