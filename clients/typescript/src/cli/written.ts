import { once } from 'node:events';

/** Writes, and waits if the reader is slow, so that the sandbox is not read ahead of it. */
export async function written(stream: NodeJS.WriteStream, data: string | Uint8Array): Promise<void> {
  if (!stream.write(data)) await once(stream, 'drain');
}
