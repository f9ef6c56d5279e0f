import { readFileSync } from 'node:fs';

const MEGABYTE = 1024 ** 2;

/** Writers in these tests give up holding back after so many megabytes. */
export const WRITTEN_MAX_MB = 400;

/**
 * What a gateway that holds its sender back may have taken, in megabytes: all that the system keeps for the two
 * connections through it, which is a setting of the machine, and a few megabytes of its own.
 */
export const IN_FLIGHT_MAX_MB = Math.min(WRITTEN_MAX_MB, 2 * (bufferMax('tcp_rmem') + bufferMax('tcp_wmem')) + 8);

function bufferMax(name: 'tcp_rmem' | 'tcp_wmem'): number {
  try {
    const [, , bytes] = readFileSync(`/proc/sys/net/ipv4/${name}`, 'utf8').split(/\s+/);
    return Number(bytes) / MEGABYTE;
  } catch {
    return 32;
  }
}
