/** Rows that are in the document at most, however tall the window is. */
export const ROWS_MAX = 190;
/** Rows beyond each edge, so that a short scroll shows no gap; fewer if the window is very tall. */
const BEYOND = 12;

/** Which rows of a list are in the document: from `first` to before `end`. */
export function rowRange(
  count: number,
  { top, height, rowHeight }: { readonly top: number; readonly height: number; readonly rowHeight: number },
): { readonly first: number; readonly end: number } {
  const seen = Math.ceil(height / rowHeight) + 1;
  const beyond = Math.max(0, Math.min(BEYOND, Math.floor((ROWS_MAX - seen) / 2)));
  const first = Math.max(0, Math.min(count, Math.floor(top / rowHeight)) - beyond);
  const last = Math.ceil((top + height) / rowHeight) + beyond;
  return { first, end: Math.min(count, last, first + ROWS_MAX) };
}
