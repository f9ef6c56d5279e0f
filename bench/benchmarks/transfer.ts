import type { Benchmark, Goal, Measurement } from '../harness/benchmark.ts';
import { nginxOfFiles } from '../testbed/nginx-config.ts';
import { startDaemon, startGateway, startNginx } from '../testbed/services.ts';
import { nginxTransfers, TRANSFER_BYTES, TransferDirectory } from '../testbed/transfer.ts';
import { NGINX } from '../testbed/wrk.ts';

const SHARE: Goal = { words: 'at least 0.8× nginx', of: 'ratio', bound: 0.8 };

export const transfer: Benchmark = {
  name: 'transfer',
  about:
    'a file of 1 GB down to a reader that discards it, and up from one buffer, through the gateway and to the ' +
    'daemon itself, against nginx (one worker) that serves the same file by sendfile and stores it by its DAV ' +
    'module. Ours answers an upload with its SHA-256, nginx does not.',
  reasons: {
    '1 GB down, through the gateway':
      "each byte is copied four times, in and out of the daemon and of the gateway, which share two cores; nginx's " +
      'sendfile copies none, and Node has neither sendfile nor splice (ADR 10).',
    '1 GB up, through the gateway':
      'the daemon alone, which also hashes each byte, meets the goal; the gateway adds a read and a write of each byte ' +
      'by node:http on the same two cores.',
    '1 GB down, from and to the daemon':
      "the daemon reads the file and writes it to the socket, two copies of each byte; nginx's sendfile has none, " +
      'and Node has no sendfile.',
  },
  needs: [NGINX],
  async prepare(stack) {
    const directory = stack.use(new TransferDirectory());
    const daemon = stack.use(await startDaemon());
    const gateway = stack.use(await startGateway(daemon));
    const peer = nginxTransfers(stack.use(await startNginx(nginxOfFiles(directory.path))));
    const ways = [
      ['through the gateway', gateway],
      ['from and to the daemon', daemon],
    ] as const;
    return ways.flatMap(([way, service]) => {
      const ours = directory.ours(service);
      return [rate(`1 GB down, ${way}`, ours.down, peer.down), rate(`1 GB up, ${way}`, ours.up, peer.up)];
    });
  },
};

function rate(name: string, ours: () => Promise<number>, peer: () => Promise<number>): Measurement {
  return {
    rows: [{ name, unit: 'MB/s', better: 'higher', goal: SHARE }],
    peer: 'nginx alone',
    rounds: 3,
    measureOurs: async () => [TRANSFER_BYTES / 1e6 / (await ours())],
    measurePeer: async () => [TRANSFER_BYTES / 1e6 / (await peer())],
  };
}
