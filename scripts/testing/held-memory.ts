import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of objects and buffers without garbage. */
export function heldMemory(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // Another thread frees the buffers of a collection; the next one begins by waiting for it.
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
