import { readFile } from 'node:fs/promises';

/** State LISTEN of proc_pid_net(5). */
const LISTEN = '0A';
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

/** TCP ports on which something listens, in ascending order; empty if the system does not tell. */
export async function occupiedPorts(tables: readonly string[] = TABLES): Promise<number[]> {
  const texts = await Promise.all(tables.map((path) => readFile(path, 'utf8').catch(() => '')));
  return [...new Set(texts.flatMap(listening))].sort((a, b) => a - b);
}

function listening(text: string): number[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(' ').filter(Boolean);
    return state === LISTEN ? Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16) : [];
  });
}
