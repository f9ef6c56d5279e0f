import { readFile } from 'node:fs/promises';

/** The state of a listening socket in /proc/net/tcp (include/net/tcp_states.h). */
const LISTEN = '0A';
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** What this machine's loopback reaches: any address and loopback, as the kernel writes them. */
const REACHABLE = new Set(['00000000', '0100007F', '0'.repeat(32), `${'0'.repeat(24)}01000000`]);
/** Above lie the ports that programs are given, not those that they choose. */
const CHOSEN_MAX = 32_767;

/** The ports below 32768 that something listens on at loopback, in order; none where the system does not tell. */
export async function listeningPorts(): Promise<number[]> {
  const tables = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
  return [...new Set(tables.flatMap(portsOf))].sort((a, b) => a - b);
}

export function portsOf(table: string): number[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    const number = Number.parseInt(port, 16);
    return state === LISTEN && REACHABLE.has(address) && number <= CHOSEN_MAX ? [number] : [];
  });
}
