import { readFile } from 'node:fs/promises';

/** Bytes so far, of all interfaces but the loopback. */
export interface Network {
  readonly received: number;
  readonly sent: number;
}

/** Reads the counters of the network of this process (proc_pid_net(5)); null where the system does not show them. */
export async function readNetwork(file = '/proc/net/dev'): Promise<Network | null> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return null;
  let [received, sent] = [0, 0];
  for (const line of text.split('\n')) {
    const [name = '', counters] = line.split(':', 2);
    if (counters === undefined || name.trim() === 'lo') continue;
    const fields = counters.trim().split(/\s+/).map(Number);
    received += fields[0] ?? 0;
    sent += fields[8] ?? 0;
  }
  return { received, sent };
}
