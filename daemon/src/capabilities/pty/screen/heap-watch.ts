import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of live objects of all models. The arrays of their cells are outside the heap, and bounded by their sizes. */
const HEAP_BYTES = 256 * 1024 ** 2;

/** Watches the heap of a thread, well below the limit at which Node ends the thread. */
export class HeapWatch {
  #collect: (() => void) | undefined;

  /** Whether the live objects are too large. */
  isFull(): boolean {
    if (used() < HEAP_BYTES) return false;
    this.#collect ??= collector();
    this.#collect();
    return used() >= HEAP_BYTES;
  }
}

function used(): number {
  return getHeapStatistics().used_heap_size;
}

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
