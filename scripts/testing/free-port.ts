import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import process from 'node:process';

const FROM = 20_000;
const END = 30_000;

/**
 * A free port that no other process takes before it is bound, or between two servers on it: it is outside
 * the system's ephemeral range, and no other test gets it while this process lives.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FROM + Math.floor(Math.random() * (end() - FROM));
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
}

/** Below the usual ephemeral range; a lower start of that range lowers it further. */
function end(): number {
  try {
    const low = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
    return low > FROM + 2_000 ? Math.min(low, END) : END;
  } catch {
    return END;
  }
}

const reserved = new Set<number>();

/** Reserves a port by an abstract socket, which all tests of this machine see and which ends with its process. */
async function reserve(port: number): Promise<boolean> {
  if (reserved.has(port)) return false;
  reserved.add(port);
  return process.platform !== 'linux' || (await listens(`\0sandbox-test-port-${port}`)) !== undefined;
}

async function isFree(port: number): Promise<boolean> {
  const server = await listens(port);
  if (!server) return false;
  server.close();
  await once(server, 'close');
  return true;
}

async function listens(at: string | number): Promise<ReturnType<typeof createServer> | undefined> {
  const server = createServer().unref();
  try {
    if (typeof at === 'string') server.listen(at);
    else server.listen(at, '0.0.0.0');
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}
