import { growthDuring } from '../../../scripts/testing/process-memory.ts';
import type { Benchmark, Goal, Measurement } from '../harness/benchmark.ts';
import { MIB, onlyChildOf } from '../testbed/memory.ts';
import { nginxOfFiles } from '../testbed/nginx-config.ts';
import { startDaemon, startGateway, startNginx } from '../testbed/services.ts';
import { nginxTransfers, TransferDirectory, type Transfers } from '../testbed/transfer.ts';
import { NGINX } from '../testbed/wrk.ts';

const GOAL: Goal = { words: 'under 48 MiB', of: 'value', bound: 48 };

export const transferMemory: Benchmark = {
  name: 'transfer-memory',
  about:
    'growth of a process (VmHWM over its earlier VmRSS) during the first transfers after its start: 1 GB down and ' +
    '1 GB up, as in `transfer`; of nginx, the worker.',
  needs: [NGINX],
  async prepare(stack) {
    const directory = stack.use(new TransferDirectory());
    const nginx = async (): Promise<number> => {
      await using peer = await startNginx(nginxOfFiles(directory.path));
      return await growth(onlyChildOf(peer.pid), nginxTransfers(peer));
    };
    const daemon = async (): Promise<number> => {
      await using service = await startDaemon();
      return await growth(service.pid, directory.ours(service));
    };
    const gateway = async (): Promise<number> => {
      await using behind = await startDaemon();
      await using service = await startGateway(behind);
      return await growth(service.pid, directory.ours(service));
    };
    return [compared('memory of the daemon', daemon, nginx), compared('memory of the gateway', gateway, nginx)];
  },
};

/** Each side starts a process per figure: memory that a process has grown by once is reused. */
function compared(name: string, ours: () => Promise<number>, peer: () => Promise<number>): Measurement {
  return {
    rows: [{ name, unit: 'MiB', better: 'lower', goal: GOAL }],
    peer: 'nginx alone',
    rounds: 3,
    measureOurs: async () => [await ours()],
    measurePeer: async () => [await peer()],
  };
}

async function growth(pid: number, { down, up }: Transfers): Promise<number> {
  const bytes = await growthDuring(pid, async () => {
    await down();
    await up();
  });
  return bytes / MIB;
}
