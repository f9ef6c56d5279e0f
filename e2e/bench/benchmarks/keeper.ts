import { readFileSync } from 'node:fs';
import { memoryOf } from '../../../scripts/testing/process-memory.ts';
import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { HttpClient, requireOk } from '../testbed/http-client.ts';
import { rateOf } from '../testbed/load.ts';
import { MIB } from '../testbed/memory.ts';
import { type Service, startDaemon, startPeer } from '../testbed/services.ts';
import { SpawnPeer } from '../testbed/spawn-peer.ts';

const RUNNING = 256;
const PROGRAM = ['/bin/sleep', '600'] as const;
const BULK = 256 * MIB;

export const keeper: Benchmark = {
  name: 'keeper',
  about:
    `memory (VmRSS) of the process keeper while ${RUNNING} commands run, \`sleep 600\` with a stdin pipe each, and ` +
    'its growth while one more writes 256 MiB; the peer is a small Node process that holds as many children.',
  async prepare() {
    const held: Measurement = {
      rows: [
        {
          name: `holding ${RUNNING} commands`,
          unit: 'MB',
          better: 'lower',
          goal: { words: 'under 4 MB', of: 'value', bound: 4 },
        },
        {
          name: 'the same and one that writes 256 MiB',
          unit: 'MB',
          better: 'lower',
          goal: { words: 'under 4 MB', of: 'value', bound: 4 },
        },
      ],
      peer: 'a Node process with as many children',
      rounds: 3,
      measureOurs: async () => {
        await using daemon = await startDaemon({ SVC_PROCESS_HOST: 'keeper', SVC_COMMAND_MAX_RUNNING: '300' });
        return await holding(daemon);
      },
      measurePeer: async () => {
        await using service = await startPeer('spawns.mjs');
        using peer = new SpawnPeer(service);
        await peer.hold(PROGRAM, RUNNING);
        const before = memoryOf(service.pid).rss / 1e6;
        await peer.run(['head', '-c', String(BULK), '/dev/zero'], 1, 1);
        return [before, memoryOf(service.pid).rss / 1e6];
      },
    };
    return [held];
  },
};

async function holding({ port }: Service): Promise<number[]> {
  using client = new HttpClient(port);
  const post = async (body: object): Promise<{ pid: number }> =>
    JSON.parse(requireOk(await client.post('/v2/commands', body))).data;
  const [command, ...args] = PROGRAM;
  const running = { command, args, shell: 'none', mode: 'async' };
  let pid = 0;
  await rateOf(16, RUNNING, async () => {
    pid = (await post(running)).pid;
  });
  pid = parentOf(pid);
  const before = memoryOf(pid).rss / 1e6;
  await post({ command: `head -c ${BULK} /dev/zero`, timeout: 60, max_output_length: 1 });
  return [before, memoryOf(pid).rss / 1e6];
}

/** proc(5): the name is in brackets and may contain any character. */
function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
