import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer, text } from 'node:stream/consumers';

type Body = string | Uint8Array | undefined;

/**
 * What the client uses of `fetch`, over HTTP without TLS. Loading that of the platform takes longer than the start of
 * Node; other addresses and bodies get it.
 */
export async function httpFetch(url: string, init: RequestInit): Promise<Response> {
  const { body, method = 'GET', headers, signal } = init;
  if (!url.startsWith('http:') || !isPlain(body)) return await fetch(url, init);
  const sent = request(url, {
    method,
    headers: headers as Record<string, string>,
    ...(signal && { signal }),
  });
  sent.end(body);
  const [message] = (await once(sent, 'response')) as [IncomingMessage];
  // A cut before the body is read; the reader gets it too.
  message.on('error', () => undefined);
  return answerOf(message) as unknown as Response;
}

function isPlain(body: RequestInit['body']): body is Body {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array;
}

function answerOf(message: IncomingMessage): object {
  const status = message.statusCode ?? 0;
  const readText = (): Promise<string> => text(message);
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name: string): string | null => message.headers[name.toLowerCase()]?.toString() ?? null },
    body: { getReader: () => readerOf(message) },
    text: readText,
    json: async (): Promise<unknown> => JSON.parse(await readText()),
    arrayBuffer: async (): Promise<Uint8Array> => await buffer(message),
  };
}

function readerOf(message: IncomingMessage): object {
  const chunks = message[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return {
    read: () => chunks.next(),
    cancel: async (): Promise<void> => void message.destroy(),
  };
}
