import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

const MEGABYTE = 1024 ** 2;

/** Megabytes after which a writer stops if no backpressure occurs. */
const WRITTEN_MAX_MB = 400;

/**
 * Megabytes that may be in flight through a gateway with backpressure: the socket buffers of its two connections, which
 * depend on the machine's settings, and a few megabytes of its own.
 */
export const IN_FLIGHT_MAX_MB = Math.min(WRITTEN_MAX_MB, 2 * (bufferMax('tcp_rmem') + bufferMax('tcp_wmem')) + 8);

/** A stream, or a WebSocket through an adapter, that a test fills. */
interface Writer {
  readonly isBlocked: () => boolean;
  readonly write: (megabyte: Buffer) => unknown;
}

/** Writes until the writer stays blocked for 2,000 turns of the event loop; resolves with the megabytes written. */
export async function writeUntilBlocked({ isBlocked, write }: Writer): Promise<number> {
  let written = 0;
  for (let blockedTurns = 0; blockedTurns < 2_000 && written < WRITTEN_MAX_MB; ) {
    if (isBlocked()) {
      blockedTurns += 1;
      await turn();
    } else {
      blockedTurns = 0;
      written += 1;
      write(Buffer.alloc(MEGABYTE, 'x'));
    }
  }
  return written;
}

/** As `writeUntilBlocked`, for a stream. */
export function fill(stream: Writable): Promise<number> {
  return writeUntilBlocked({ isBlocked: () => stream.writableNeedDrain, write: (megabyte) => stream.write(megabyte) });
}

function bufferMax(name: 'tcp_rmem' | 'tcp_wmem'): number {
  try {
    const [, , bytes] = readFileSync(`/proc/sys/net/ipv4/${name}`, 'utf8').split(/\s+/);
    return Number(bytes) / MEGABYTE;
  } catch {
    return 32;
  }
}
