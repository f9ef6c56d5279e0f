import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import type { Command } from './command.ts';

export interface StdinTerms {
  /** Close stdin after the bytes. */
  readonly eof: boolean;
  readonly gone: AbortSignal;
}

export interface OfferTerms {
  /** Close stdin after the bytes, if all of them fit. */
  readonly eof: boolean;
  readonly offset?: number | undefined;
}

export interface StdinWritten {
  /** Bytes of this call that the process host holds. */
  readonly bytes: number;
  /** Bytes of all calls. */
  readonly total: number;
  /** Stdin was closed after them. */
  readonly eof: boolean;
}

const FULL_HINT = 'continue when the command has read some of it; a raw body waits for that by itself';

export async function writeStdin(
  command: Command,
  chunks: AsyncIterable<Uint8Array>,
  { eof, gone }: StdinTerms,
): Promise<StdinWritten> {
  let bytes = 0;
  for await (const chunk of chunks) {
    try {
      await processOf(command).writeStdin(chunk, gone);
    } finally {
      // Also of a call that is cut.
      command.countStdin();
    }
    bytes += chunk.length;
  }
  if (eof) await processOf(command).endStdin();
  return { bytes, total: command.record.stdinBytes, eof };
}

export async function offerStdin(
  command: Command,
  bytes: Uint8Array,
  { eof, offset }: OfferTerms,
): Promise<StdinWritten> {
  const taken = bytes.length === 0 && offset === undefined ? 0 : await processOf(command).offerStdin(bytes, offset);
  command.countStdin();
  if (taken === 0 && bytes.length > 0) {
    throw new SandboxError('capacity', 'the stdin of the command is full: nothing was written', { hint: FULL_HINT });
  }
  const isWhole = taken === bytes.length;
  if (eof && isWhole) await processOf(command).endStdin();
  else if (bytes.length === 0) processOf(command);
  return { bytes: taken, total: command.record.stdinBytes, eof: eof && isWhole };
}

/**
 * Writes bytes at the pace of the command; those that were taken before are skipped. Returns how many of all of stdin
 * the process host holds.
 * @param offset of the first byte
 * @throws SandboxError `conflict` as `writeStdin`, and for a gap before the offset
 */
export async function writeStdinAt(
  command: Command,
  bytes: Uint8Array,
  offset: number,
  gone: AbortSignal,
): Promise<number> {
  try {
    await processOf(command).writeStdin(bytes, gone, offset);
  } finally {
    command.countStdin();
  }
  return command.record.stdinBytes;
}

/** Closes stdin after that many bytes; no effect if it is closed there. @throws SandboxError `conflict` at any other */
export async function endStdinAt(command: Command, offset: number): Promise<void> {
  const process = processOf(command);
  const { taken } = process.stdinCount;
  if (taken !== offset) {
    throw new SandboxError('conflict', `stdin has ${taken} bytes, so that it does not end at ${offset}`);
  }
  if (process.stdinIsOpen) await process.endStdin();
}

/** What a call has to do that was answered with fewer bytes than it sent; null: nothing. */
export function stdinHint({ bytes, total }: StdinWritten, sent: number): string | null {
  if (bytes === sent) return null;
  return `the stdin of the command is full: write the rest from byte ${bytes} of this input on (offset ${total}); ${FULL_HINT}`;
}

function processOf({ process, id }: Command): HostedProcess {
  if (process) return process;
  throw new SandboxError('conflict', `the command has ended: ${id}`);
}
