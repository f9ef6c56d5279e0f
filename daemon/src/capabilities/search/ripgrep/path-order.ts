/** Byte strings relative to one root, in the order of a walk that sorts each directory: `a/b` before `a.txt`. */
export function compareInWalk(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    if (a[at] === b[at]) continue;
    if (a[at] === '/') return -1;
    if (b[at] === '/') return 1;
    return (a[at] ?? '') < (b[at] ?? '') ? -1 : 1;
  }
  return a.length - b.length;
}
