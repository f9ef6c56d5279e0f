import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, Goal, Measurement } from '../harness/benchmark.ts';
import { drain } from '../testbed/drain.ts';
import { growthDuring, MIB } from '../testbed/memory.ts';
import { nginxOfFiles } from '../testbed/nginx-config.ts';
import { pour } from '../testbed/pour.ts';
import { type Service, startDaemon, startGateway, startNginx } from '../testbed/services.ts';
import { NGINX } from '../testbed/wrk.ts';

const BYTES = 1_000_000_000;
const SHARE: Goal = { words: 'at least 0.8× nginx', of: 'ratio', bound: 0.8 };
const MEMORY: Goal = { words: 'under 48 MiB', of: 'value', bound: 48 };

export const transfer: Benchmark = {
  name: 'transfer',
  about:
    'a file of 1 GB down to a reader that discards it, and up from one buffer, through the gateway and to the ' +
    'daemon itself, against nginx (one worker) that serves the same file by sendfile and stores it by its DAV ' +
    'module. Ours answers an upload with its SHA-256, nginx does not. Memory: growth of a fresh process (VmHWM over ' +
    'its earlier VmRSS) during 1 GB down and 1 GB up.',
  needs: [NGINX],
  async prepare(stack) {
    const directory = mkdtempSync(join(tmpdir(), 'bench-transfer-'));
    stack.defer(() => rmSync(directory, { recursive: true, force: true }));
    for (let at = 0; at < BYTES; at += 100_000_000) {
      writeFileSync(join(directory, 'file'), Buffer.alloc(100_000_000, at / 1e8), { flag: 'a' });
    }
    const daemon = stack.use(await startDaemon());
    const gateway = stack.use(await startGateway(daemon));
    const nginx = stack.use(await startNginx(nginxOfFiles(directory)));
    const ways = [
      ['through the gateway', gateway],
      ['from and to the daemon', daemon],
    ] as const;
    return [
      ...ways.flatMap(([way, service]) => [
        rate(`1 GB down, ${way}`, down(service, directory), down(nginx)),
        rate(`1 GB up, ${way}`, up(service, directory), up(nginx)),
      ]),
      memory('memory of the daemon', daemon, daemon, nginx, directory),
      memory('memory of the gateway', gateway, gateway, nginx, directory),
    ];
  },
};

function rate(name: string, ours: () => Promise<number>, peer: () => Promise<number>): Measurement {
  return {
    rows: [{ name, unit: 'MB/s', better: 'higher', goal: SHARE }],
    peer: 'nginx alone',
    rounds: 3,
    measureOurs: async () => [BYTES / 1e6 / (await ours())],
    measurePeer: async () => [BYTES / 1e6 / (await peer())],
  };
}

function memory(name: string, held: Service, through: Service, nginx: Service, directory: string): Measurement {
  const both = (service: Service, root?: string) => async () => {
    await down(service, root)();
    await up(service, root)();
  };
  return {
    rows: [{ name, unit: 'MiB', better: 'lower', goal: MEMORY }],
    peer: 'nginx alone',
    rounds: 1,
    measureOurs: async () => [(await growthDuring(held.pid, both(through, directory))) / MIB],
    measurePeer: async () => [(await growthDuring(nginx.pid, both(nginx))) / MIB],
  };
}

/** Without a directory the server is nginx, with the file at its root. */
function down({ port }: Service, directory?: string): () => Promise<number> {
  const path = directory === undefined ? '/file' : `/v2/fs/download?path=${directory}/file`;
  return async () => (await drain(port, path, BYTES)).seconds;
}

function up({ port }: Service, directory?: string): () => Promise<number> {
  const path = directory === undefined ? '/up-nginx' : `/v2/fs/upload?path=${directory}/up-ours`;
  return () => pour(port, path, BYTES);
}
