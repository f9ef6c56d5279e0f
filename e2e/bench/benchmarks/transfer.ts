import type { Benchmark, Goal, Measurement } from '../harness/benchmark.ts';
import { besideFloor } from '../harness/rows.ts';
import { nginxOfFiles } from '../testbed/nginx-config.ts';
import { startDaemon, startGateway, startNginx, startPeer } from '../testbed/services.ts';
import { nginxTransfers, TRANSFER_BYTES, TransferDirectory } from '../testbed/transfer.ts';
import { NGINX } from '../testbed/wrk.ts';

const SHARE: Goal = { words: 'at least 0.8× nginx without sendfile', of: 'ratio', bound: 0.8 };

export const transfer: Benchmark = {
  name: 'transfer',
  about:
    'a file of 1 GB down to a reader that discards it, and up from one buffer, through the gateway and to the ' +
    'daemon itself, against nginx (one worker) that serves the same file without sendfile, which Node ' +
    'does not have, and stores it by its DAV module. Ours answers an upload with its SHA-256, nginx does not. Floor: a `node:http` server that pipes the ' +
    'file to the response, and the request to a file and a hash; for the gateway behind a `node:http` relay.',
  reasons: {
    '1 GB down, through the gateway':
      'each byte is copied four times, in and out of the daemon and of the gateway, which share two cores (ADR 10); ' +
      'nginx copies it twice.',
    '1 GB up, through the gateway':
      'the daemon alone, which also hashes each byte, meets the goal; the gateway adds a read and a write of each byte ' +
      'by node:http on the same two cores.',
    '1 GB down, from and to the daemon':
      'both read the file and write it to the socket; the daemon does it through the streams of Node.',
  },
  needs: [NGINX],
  async prepare(stack) {
    const directory = stack.use(new TransferDirectory());
    const daemon = stack.use(await startDaemon());
    const gateway = stack.use(await startGateway(daemon));
    const peer = nginxTransfers(stack.use(await startNginx(nginxOfFiles(directory.path))));
    const plain = stack.use(await startPeer('floor.mjs'));
    const relay = stack.use(await startPeer('relay.mjs', ['http', String(plain.port)]));
    const ways = [
      { way: 'through the gateway', service: gateway, floor: relay, plainest: 'node:http behind node:http' },
      { way: 'from and to the daemon', service: daemon, floor: plain, plainest: 'node:http' },
    ] as const;
    return ways.flatMap(({ way, service, floor, plainest }) => {
      const [ours, floors] = [directory.ours(service), directory.floor(floor)];
      return (['down', 'up'] as const).flatMap((direction) => {
        const measured = rate(`1 GB ${direction}, ${way}`, ours[direction], peer[direction]);
        return [measured, besideFloor(measured, plainest, rateOf(floors[direction]))];
      });
    });
  },
};

function rate(name: string, ours: () => Promise<number>, peer: () => Promise<number>): Measurement {
  return {
    rows: [{ name, unit: 'MB/s', better: 'higher', goal: SHARE }],
    peer: 'nginx alone',
    measureOurs: rateOf(ours),
    measurePeer: rateOf(peer),
  };
}

/** @param transfer answers its seconds */
function rateOf(transfer: () => Promise<number>): () => Promise<number[]> {
  return async () => [TRANSFER_BYTES / 1e6 / (await transfer())];
}
