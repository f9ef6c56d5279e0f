const TURNS = 0;
const DEBUGGED = 1;

/** State of the main loop in memory that the main thread and the stall thread share. */
export class LoopState {
  readonly shared: Int32Array<SharedArrayBuffer>;

  constructor(shared = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))) {
    this.shared = shared;
  }

  turned(isDebugged: boolean): void {
    Atomics.store(this.shared, DEBUGGED, Number(isDebugged));
    Atomics.add(this.shared, TURNS, 1);
  }

  /** Number of turns so far; it wraps around. */
  get turns(): number {
    return Atomics.load(this.shared, TURNS);
  }

  get isDebugged(): boolean {
    return Atomics.load(this.shared, DEBUGGED) !== 0;
  }
}
