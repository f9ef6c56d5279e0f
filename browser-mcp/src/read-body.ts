import type { IncomingMessage } from 'node:http';
import { CollectedBytes } from '@sandbox/program/collected-bytes.ts';

/** A body longer than its limit. */
export class TooLarge extends Error {}

/** Reads a whole body. @throws TooLarge as soon as it is longer than `maxBytes` */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new TooLarge();
  const received = new CollectedBytes();
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    received.add(chunk);
    if (received.length > maxBytes) throw new TooLarge();
  }
  return received.take();
}
