const { process } = globalThis as { readonly process?: { readonly hrtime?: () => [number, number] } };
const hrtime = process?.hrtime;

/** Milliseconds of a clock that never jumps. Node has one at its start, and loads `performance` on first use. */
export function milliseconds(): number {
  if (!hrtime) return performance.now();
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
