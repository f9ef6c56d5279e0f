import type { IncomingMessage } from 'node:http';

/** Bytes of a form with a key. */
const MAX_BYTES = 16 * 1024;
/** Milliseconds to send it. */
const DEADLINE_MS = 10_000;

export function isForm({ headers }: IncomingMessage): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}

/**
 * Reads the body of a form.
 * @returns undefined if it is larger than 16 KiB, is not complete within 10 s, or the client has disconnected
 */
export function readForm(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (form?: URLSearchParams): void => {
      clearTimeout(deadline);
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      resolve(form);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > MAX_BYTES) finish();
    };
    const onEnd = (): void => finish(new URLSearchParams(Buffer.concat(chunks).toString()));
    const onClose = (): void => finish();
    const deadline = setTimeout(onClose, DEADLINE_MS);
    req.on('data', onData).once('end', onEnd).once('close', onClose);
  });
}
