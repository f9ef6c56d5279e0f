import type { XClient } from 'x11';

/** Bytes of a reply before its list, without its head. */
const LIST_AT = 24;
const KEYSYM = 4;
/** Keycodes of a display at most (X protocol, "Keyboards"). */
const ROWS_MAX = 248;

/** The keysyms of keycodes. The package's own reader does not end for a reply that has none per keycode. */
export function getKeyboardMapping(
  client: XClient,
  [first, count]: readonly [number, number],
  done: (error: Error | null | undefined, rows: number[][]) => boolean,
): void {
  client.GetKeyboardMapping(first, count, done);
  const waiting = client.replies[client.seq_num];
  if (waiting) waiting[0] = rowsOf;
}

/** The rows of a reply with that many keysyms each. */
function rowsOf(reply: Buffer, width: number): number[][] {
  const keysyms = Math.floor((reply.length - LIST_AT) / KEYSYM);
  const rows = width === 0 ? 0 : Math.min(Math.floor(keysyms / width), ROWS_MAX);
  return Array.from({ length: rows }, (_row, row) =>
    Array.from({ length: width }, (_keysym, at) => reply.readUInt32LE(LIST_AT + (row * width + at) * KEYSYM)),
  );
}
