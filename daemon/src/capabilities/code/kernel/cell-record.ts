import type { KernelClient } from './kernel-client.ts';
import { type Message, messageType } from './protocol/message.ts';

/** Milliseconds that a kernel may take to hand over what it has kept. */
const RECORD_MS = 10_000;
/** Frames of one message in a record: signature, header, parent, metadata and content. */
const FRAMES = 5;
/** Stands for an output whose content the kernel has not kept. */
const LEFT_OUT = { data: { 'text/plain': '[an output that was too long is left out]' } };

/** What a kernel has kept of its newest cell (`kernel-program.ts`). */
export interface CellRecord {
  readonly isEnded: boolean;
  /** Nothing was too long to be kept. */
  readonly isWhole: boolean;
  readonly executionCount: number | null;
  readonly messages: readonly Message[];
  /** The prompt that waits for an answer. */
  readonly input: Message['content'] | undefined;
}

/** Undefined if the kernel does not answer, or its newest cell is another one. */
export async function readRecord(client: KernelClient, cell: string): Promise<CellRecord | undefined> {
  const reply = await client.request('control', 'svc_record_request', { cell }, RECORD_MS);
  if (reply === undefined || reply.content['cell'] !== cell) return undefined;
  const { count, is_ended, is_whole, input } = reply.content;
  const messages: Message[] = [];
  for (let at = 0; at + FRAMES <= reply.buffers.length; at += FRAMES) {
    const frames = reply.buffers.slice(at, at + FRAMES);
    const message = client.wire.decodeParts(frames) ?? cutMessage(client, frames);
    if (message) messages.push(message);
  }
  const executionCount = typeof count === 'number' ? count : null;
  return { isEnded: is_ended === true, isWhole: is_whole === true, executionCount, messages, input: requestIn(input) };
}

function requestIn(input: unknown): Message['content'] | undefined {
  return typeof input === 'object' && input !== null ? (input as Message['content']) : undefined;
}

/** It counts as one output, whatever its type was. */
function cutMessage({ wire }: KernelClient, frames: readonly Buffer[]): Message | undefined {
  const message = wire.decodeCutParts(frames);
  if (message === undefined || messageType(frames[1]) === 'stream') return message;
  return { ...message, header: { ...message.header, msg_type: 'display_data' }, content: LEFT_OUT };
}
