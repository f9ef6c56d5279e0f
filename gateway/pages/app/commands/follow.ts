import { addressOf, Refusal, request } from '../sandbox/api.ts';
import { jsonLines } from '../sandbox/lines.ts';
import { link } from '../sandbox/link.ts';
import type { Command } from './command.ts';

export interface Follower {
  readonly onText: (stream: 'stdout' | 'stderr', text: string) => void;
  /** Bytes before the offset are not kept any more. */
  readonly onDropped: () => void;
  readonly onExit: (end: Pick<Command, 'status' | 'exit_code' | 'signal'>) => void;
}

type Message =
  | { readonly type: 'stdout' | 'stderr'; readonly offset: number; readonly data_base64: string }
  | { readonly type: 'dropped' }
  | { readonly type: 'heartbeat' }
  | ({ readonly type: 'exit' } & Pick<Command, 'status' | 'exit_code' | 'signal'>);

/**
 * Reads the output of a command as it is written, until its end. A connection that is cut, as by a restart of the
 * daemon, is made again at the offsets that were reached.
 * @throws Refusal if the service does not know the command any more
 */
export async function follow(id: string, follower: Follower, signal: AbortSignal): Promise<void> {
  const offsets = { stdout: 0, stderr: 0 };
  for (;;) {
    try {
      if (await readOnce(id, offsets, follower, signal)) return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refusal && !error.isPassing) throw error;
    }
    await link.whenBack(signal).catch(() => undefined);
    if (signal.aborted) return;
  }
}

/** @returns whether the command has ended */
async function readOnce(
  id: string,
  offsets: { stdout: number; stderr: number },
  { onText, onDropped, onExit }: Follower,
  signal: AbortSignal,
): Promise<boolean> {
  const query = { stream: true, encoding: 'base64', offset: offsets.stdout, stderr_offset: offsets.stderr };
  const { body } = await request(addressOf(`v2/commands/${encodeURIComponent(id)}`, query), { signal });
  if (!body) return false;
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  for await (const message of jsonLines<Message>(body)) {
    if (message.type === 'exit') {
      onExit(message);
      return true;
    }
    if (message.type === 'dropped') onDropped();
    if (message.type !== 'stdout' && message.type !== 'stderr') continue;
    // Base64, since a text has another length than its bytes where they are not UTF-8.
    const bytes = bytesOf(message.data_base64);
    offsets[message.type] = message.offset + bytes.length;
    onText(message.type, decoders[message.type].decode(bytes, { stream: true }));
  }
  return false;
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
