import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { jsonText } from '@sandbox/program/json-text.ts';
import { workOnAnswer } from '../core/answers/answer-hold.ts';
import type { NotificationSink } from './exchange.ts';
import type { HubAnswer } from './json-rpc.ts';
import { withoutResult } from './tool-result.ts';

/** Milliseconds of silence after which a comment is sent; the first one brings the client the head of the answer. */
const HEARTBEAT_MS = 15_000;
const FIRST_MS = 100;
/** Bytes that wait for a slow client; progress beyond is left out, the response is not. */
const WAITING_BYTES = 256 * 1024;

/** Bytes of a piece of a response, and milliseconds in which a client has to read one. */
const PIECE_BYTES = 64 * 1024;
const UNREAD_MS = 30_000;

/**
 * Notifications of a request and its response, if it gets one, as server-sent events (MCP 2025-11-25, basic/transports, "Sending
 * Messages to the Server"). A client that does not read its response is cut.
 */
export function eventStream(
  serve: (notified: NotificationSink) => Promise<JSONRPCMessage | undefined>,
  { unreadMs = UNREAD_MS } = {},
): HubAnswer {
  const encoder = new TextEncoder();
  const reader = new Reader(unreadMs);
  let heartbeat: NodeJS.Timeout | undefined;
  const events = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const isSlow = (): boolean => (controller.desiredSize ?? 0) <= 0;
        const send = (text: string): void => controller.enqueue(encoder.encode(text));
        const beat = (): void => {
          if (!isSlow()) send(': \n\n');
          heartbeat = setTimeout(beat, HEARTBEAT_MS);
        };
        heartbeat = setTimeout(beat, FIRST_MS);
        const event = (message: JSONRPCMessage): void => send(eventText(jsonText(message)));
        const sendResponse = async (response: JSONRPCMessage): Promise<void> => {
          const text = jsonText(response);
          if (text.length > WAITING_BYTES) {
            // Until the client has read it or has left, it is held.
            if (!hold(text.length)) {
              event(withoutResult(response));
              return;
            }
          }
          const bytes = encoder.encode(eventText(text));
          for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
            if (isSlow()) await reader.next();
            controller.enqueue(bytes.subarray(at, at + PIECE_BYTES));
          }
        };
        const run = async (): Promise<void> => {
          try {
            const response = await serve((message) => isSlow() || event(message));
            clearTimeout(heartbeat);
            if (response !== undefined) await sendResponse(response);
            controller.close();
          } catch (error) {
            controller.error(error);
          } finally {
            clearTimeout(heartbeat);
          }
        };
        void run();
      },
      pull: () => reader.pulled(),
      cancel: () => {
        clearTimeout(heartbeat);
        reader.left();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES }),
  );
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: events };
}

const eventText = (json: string): string => `event: message\ndata: ${json}\n\n`;

/** Whether memory for the bytes of a response could be reserved. */
function hold(bytes: number): boolean {
  try {
    workOnAnswer(bytes)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

/** Waits until the client has read what was sent. */
class Reader {
  readonly #unreadMs: number;
  #next: PromiseWithResolvers<void> | undefined;
  #hasLeft = false;

  constructor(unreadMs: number) {
    this.#unreadMs = unreadMs;
  }

  /** @throws Error if the client reads nothing for too long, or has left */
  async next(): Promise<void> {
    if (this.#hasLeft) throw new Error('the client has left');
    const next = Promise.withResolvers<void>();
    this.#next = next;
    const deadline = setTimeout(() => next.reject(new Error('the client does not read its response')), this.#unreadMs);
    try {
      await next.promise;
    } finally {
      clearTimeout(deadline);
    }
  }

  pulled(): void {
    this.#next?.resolve();
  }

  left(): void {
    this.#hasLeft = true;
    this.#next?.reject(new Error('the client has left'));
  }
}
