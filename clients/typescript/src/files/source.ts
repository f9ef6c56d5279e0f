import { builtin } from '../core/builtin.ts';
import { bytesOf } from '../core/encoding.ts';
import { SandboxError } from '../core/errors.ts';

/** Bytes of known length that can be read at any place, also again after a cut. */
export interface Source extends AsyncDisposable {
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

export type Content = string | Uint8Array | Blob;

export function sourceOf(content: Content): Source {
  if (content instanceof Blob) return blobSource(content);
  const bytes = typeof content === 'string' ? bytesOf(content) : content;
  return {
    size: bytes.length,
    read: async (offset, length) => bytes.slice(offset, offset + length) as Uint8Array<ArrayBuffer>,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function blobSource(blob: Blob): Source {
  return {
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A file of this machine. @throws SandboxError if it is not a file */
export async function fileSource(path: string): Promise<Source> {
  const { open } = await builtin('node:fs/promises');
  const handle = await open(path, 'r');
  const stats = await handle.stat();
  if (!stats.isFile()) {
    await handle.close();
    throw new SandboxError(`not a file: ${path}`, { hint: 'push sends a directory' });
  }
  return {
    size: stats.size,
    read: async (offset, length) => {
      const bytes = new Uint8Array(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
        if (bytesRead === 0) throw new SandboxError(`the file became shorter while it was read: ${path}`);
        filled += bytesRead;
      }
      return bytes;
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
