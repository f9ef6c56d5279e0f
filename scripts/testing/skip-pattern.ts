/** Whether a pattern of `ExpectedSkip.tests` names this test. */
export function names(pattern: string, name: string): boolean {
  const [beginning = '', ...rest] = pattern.split('*');
  if (!name.startsWith(beginning)) return false;
  let at = beginning.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
