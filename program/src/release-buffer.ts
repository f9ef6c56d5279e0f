/**
 * Frees the memory of a buffer that is no longer needed, unless other buffers share it; the buffer is empty afterwards.
 * Each read of a socket allocates new memory, and the garbage collector marks the whole heap after every 32 MiB of it,
 * which took half of the time of a long body.
 */
export function releaseBuffer({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
