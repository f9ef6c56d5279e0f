/** Beats of a service, and ticks of its parent, in the time after which the service counts as stalled. */
export const BEATS_PER_STALL = 10;

/** The main loop turns. */
export const BEAT = 0x62;
/** A debugger is attached, which may halt the main loop: a silence until the next `BEAT` is no stall. */
export const DEBUGGED = 0x64;

/** Milliseconds between two beats, and between two ticks. */
export function beatMs(stallSeconds: number): number {
  return (stallSeconds * 1000) / BEATS_PER_STALL;
}
