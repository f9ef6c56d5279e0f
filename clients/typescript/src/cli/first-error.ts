/** What failed first, if the end of a block failed too: the second has no message of its own. */
export function firstError(error: unknown): unknown {
  let first = error;
  while (first instanceof Error && first.name === 'SuppressedError' && 'suppressed' in first) first = first.suppressed;
  return first;
}
