import { expect, test } from 'vitest';
import { eventStream } from './event-stream.ts';

const RESPONSE = { jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(4 * 1024 ** 2) } } as const;

function bodyOf(unreadMs: number): ReadableStream<Uint8Array> {
  return eventStream(() => Promise.resolve(RESPONSE), { unreadMs }).body as ReadableStream<Uint8Array>;
}

test('[answers.unread] the stream of a client that reads nothing of its response fails', async () => {
  const reader = bodyOf(20).getReader();
  await expect(reader.closed).rejects.toThrow('does not read');
});

test('[answers.unread] a client that reads gets all of it', async () => {
  const text = await new Response(bodyOf(10_000)).text();
  expect(JSON.parse(text.replace('event: message\ndata: ', ''))).toEqual(RESPONSE);
});

test('[mcp.progress] a client gets the head of the answer while the tool still works', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const reader = (eventStream(() => promise).body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  expect(Buffer.from(value ?? []).toString()).toBe(': \n\n');
  resolve(undefined);
  expect(await reader.read()).toMatchObject({ done: true });
});
