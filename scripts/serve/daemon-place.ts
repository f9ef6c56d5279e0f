import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { inUse } from './ports.ts';
import type { ServeOptions } from './serve-options.ts';

/** Limit for a daemon's answer on the socket of its runtime directory. */
const ANSWER_MS = 2_000;

export interface PlaceTerms {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The daemon's runtime directory where nothing names one. */
  readonly runtimeDir: string;
  readonly say: (line: string) => void;
}

/**
 * Options with a free port and a free runtime directory for the daemon if its defaults are taken, as by a second copy
 * on this machine. What the user has set stays.
 */
export async function placeDaemon(options: ServeOptions, { env, runtimeDir, say }: PlaceTerms): Promise<ServeOptions> {
  const placed = env['SVC_PORT'] ? options : await withFreePort(options, say);
  const isSet = env['SVC_RUNTIME_DIR'] || placed.daemonArgs.some((arg) => /^--runtime-dir(?:=|$)/.test(arg));
  if (isSet || !(await isAnswering(join(runtimeDir, 'daemon.sock')))) return placed;
  // By the public port, which two copies cannot share: the same copy finds its state again.
  const own = `${runtimeDir}-${placed.gateway.port || placed.daemon.port}`;
  say(`another daemon uses ${runtimeDir}: this one uses ${own}`);
  return { ...placed, daemonArgs: [...placed.daemonArgs, '--runtime-dir', own] };
}

async function withFreePort(options: ServeOptions, say: (line: string) => void): Promise<ServeOptions> {
  const { daemon, daemonArgs, gatewayArgs } = options;
  if (!(await inUse(daemon))) return options;
  const port = await freePort(daemon.host);
  say(`port ${daemon.port} is in use: the daemon listens on ${port}`);
  return {
    ...options,
    daemon: { ...daemon, port },
    daemonArgs: [...daemonArgs, '--port', String(port)],
    gatewayArgs: [...gatewayArgs, '--daemon-port', String(port)],
  };
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function isAnswering(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket).setTimeout(ANSWER_MS);
    const settle = (answers: boolean) => () => {
      connection.destroy();
      resolve(answers);
    };
    connection.once('connect', settle(true)).once('timeout', settle(true)).once('error', settle(false));
  });
}
