/**
 * Frees the memory of bytes that nobody needs any more, where no other bytes share it; they are empty afterwards. What a
 * socket reads is new memory each time, and the collector, which frees it late, marks the whole heap every 32 MiB for it:
 * that took half of the time of a long body.
 */
export function releaseBuffer({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
