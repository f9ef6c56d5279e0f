import { readFile } from 'node:fs/promises';

/** The state of a listening socket in /proc/net/tcp (include/net/tcp_states.h). */
const LISTEN = '0A';
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** Local addresses that loopback reaches, in the kernel's notation: the wildcard addresses, 127.0.0.1 and ::1. */
const REACHABLE = new Set(['00000000', '0100007F', '0'.repeat(32), `${'0'.repeat(24)}01000000`]);
/** Higher ports are ephemeral: assigned by the kernel, not chosen by a program. */
const FIXED_MAX = 32_767;

/**
 * Listening ports that loopback reaches, ascending; empty on a system without /proc/net/tcp.
 * @param highest of the ports; default: below the ephemeral ones
 */
export async function listeningPorts(highest: number = FIXED_MAX): Promise<number[]> {
  const tables = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
  const ports = tables.flatMap((table) => portsOf(table, highest));
  return [...new Set(ports)].sort((a, b) => a - b);
}

export function portsOf(table: string, highest: number = FIXED_MAX): number[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    const number = Number.parseInt(port, 16);
    return state === LISTEN && REACHABLE.has(address) && number <= highest ? [number] : [];
  });
}
