import { type ClientRequest, type IncomingMessage, request } from 'node:http';

type Body = string | Uint8Array | undefined;

/**
 * What the client uses of `fetch`, over HTTP without TLS. Loading that of the platform takes longer than the start of
 * Node; other addresses and bodies get it.
 */
export async function httpFetch(url: string, init: RequestInit): Promise<Response> {
  const { body, method = 'GET', headers, signal } = init;
  if (!url.startsWith('http:') || !isPlain(body)) return await fetch(url, init);
  const sent = request(url, { method, headers: headers as Record<string, string> });
  const message = await answered(sent.end(body), signal ?? undefined);
  // A cut before the body is read; the reader gets it too.
  message.on('error', () => undefined);
  return answerOf(message) as unknown as Response;
}

/** The answer; the signal ends the wait for it, and later the answer itself. */
function answered(sent: ClientRequest, signal: AbortSignal | undefined): Promise<IncomingMessage> {
  const abort = (): void => void sent.destroy(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return new Promise((resolve, reject) => {
    sent.once('close', () => signal?.removeEventListener('abort', abort));
    sent.on('error', reject).once('response', resolve);
  });
}

function isPlain(body: RequestInit['body']): body is Body {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array;
}

function answerOf(message: IncomingMessage): object {
  const status = message.statusCode ?? 0;
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name: string): string | null => message.headers[name.toLowerCase()]?.toString() ?? null },
    body: { getReader: () => readerOf(message) },
  };
}

function readerOf(message: IncomingMessage): object {
  const chunks = message[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return {
    read: () => chunks.next(),
    cancel: async (): Promise<void> => void message.destroy(),
  };
}
