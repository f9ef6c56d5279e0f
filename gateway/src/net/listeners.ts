import { readFile } from 'node:fs/promises';
import { type Address, isListening } from './address.ts';
import { listeningPorts } from './listening-ports.ts';

/** A listening socket in /proc/net/unix: flags with SO_ACCEPTCON (include/linux/net.h), type SOCK_STREAM. */
const LISTENER = /^[0-9a-f]+: [0-9A-F]+ [0-9A-F]+ 00010000 0001 [0-9A-F]+ +[0-9]+ (\/.*)$/;
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

/**
 * Whether something listens at the address. Where the kernel's tables tell, no connection is made: a VNC server takes
 * one that ends at once for a failed guess of a password, and refuses every viewer after five of them.
 */
export async function hasListener(address: Address): Promise<boolean> {
  if (address.socketPath !== undefined) {
    const table = await readFile('/proc/net/unix', 'utf8').catch(() => undefined);
    return table === undefined ? isListening(address) : unixListeners(table).has(address.socketPath);
  }
  if (!LOOPBACK.has(address.host)) return isListening(address);
  return (await listeningPorts(65_535)).includes(address.port) || (await isElsewhere(address));
}

/** Paths of the listening stream sockets. */
export function unixListeners(table: string): Set<string> {
  return new Set(table.split('\n').flatMap((line) => LISTENER.exec(line)?.[1] ?? []));
}

/** Without the kernel's tables. */
async function isElsewhere(address: Address): Promise<boolean> {
  const hasTable = await readFile('/proc/net/tcp').then(
    () => true,
    () => false,
  );
  return !hasTable && isListening(address);
}
