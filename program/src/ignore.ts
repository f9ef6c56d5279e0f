/** A handler for an event or a failure on which nothing depends, such as the error of a socket that is closed anyway. */
export function ignore(): void {
  // Nothing depends on it.
}
