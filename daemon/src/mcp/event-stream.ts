import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { jsonText } from '@sandbox/program/json-text.ts';
import type { NotificationSink } from './exchange.ts';
import type { HubAnswer } from './json-rpc.ts';

/** Milliseconds of silence after which a comment is sent. */
const HEARTBEAT_MS = 15_000;
/** Bytes that wait for a slow client; progress beyond is left out, the response is not. */
const WAITING_BYTES = 256 * 1024;

/**
 * Notifications of a request and its response, if it gets one, as server-sent events (MCP 2025-11-25, basic/transports, "Sending
 * Messages to the Server").
 */
export function eventStream(serve: (notified: NotificationSink) => Promise<JSONRPCMessage | undefined>): HubAnswer {
  const encoder = new TextEncoder();
  let heartbeat: NodeJS.Timeout | undefined;
  const events = new ReadableStream<Uint8Array>(
    {
      start: async (controller) => {
        const isSlow = (): boolean => (controller.desiredSize ?? 0) <= 0;
        const send = (text: string): void => controller.enqueue(encoder.encode(text));
        heartbeat = setInterval(() => isSlow() || send(': \n\n'), HEARTBEAT_MS);
        const event = (message: JSONRPCMessage): void => send(`event: message\ndata: ${jsonText(message)}\n\n`);
        try {
          const response = await serve((message) => isSlow() || event(message));
          if (response !== undefined) event(response);
          controller.close();
        } catch (error) {
          controller.error(error);
        } finally {
          clearInterval(heartbeat);
        }
      },
      cancel: () => clearInterval(heartbeat),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES }),
  );
  return { status: 200, headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }, body: events };
}
