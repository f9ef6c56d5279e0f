import type { Benchmark } from '../harness/benchmark.ts';
import { drain } from '../testbed/drain.ts';
import { nginxBeforeDaemon } from '../testbed/nginx-config.ts';
import { runCommand } from '../testbed/run-command.ts';
import { type Service, startDaemon, startGateway, startNginx } from '../testbed/services.ts';
import { NGINX } from '../testbed/wrk.ts';

const BYTES = 500_000_000;
const RAW = { accept: 'application/octet-stream' };

export const download: Benchmark = {
  name: 'download',
  about:
    'the raw output of a command, 500 MB in chunked coding, from the daemon through the gateway and through nginx ' +
    'with `auth_request` (16 buffers of 64 KiB, nothing written to disk, one worker), to a reader that discards it.',
  needs: [NGINX],
  async prepare(stack) {
    const daemon = stack.use(await startDaemon({ SVC_COMMAND_OUTPUT_MAX_BYTES: String(2 * 1024 ** 3) }));
    const ours = stack.use(await startGateway(daemon));
    const nginx = stack.use(await startNginx(nginxBeforeDaemon(daemon.port)));
    const path = await runCommand(daemon, `head -c ${BYTES} /dev/zero`);
    const speed =
      ({ port }: Service) =>
      async () => [BYTES / 1e6 / (await drain(port, path, BYTES, RAW)).seconds];
    const row = { name: '500 MB down', unit: 'MB/s', better: 'higher' } as const;
    return [
      {
        rows: [{ ...row, goal: { words: 'at least 0.8× nginx', of: 'ratio', bound: 0.8 } }],
        peer: 'nginx with auth_request',
        measureOurs: speed(ours),
        measurePeer: speed(nginx),
      },
      {
        rows: [{ ...row, name: '500 MB down, against none' }],
        peer: 'the daemon itself',
        rounds: 3,
        measureOurs: speed(ours),
        measurePeer: speed(daemon),
      },
    ];
  },
};
