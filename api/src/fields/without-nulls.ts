/** The object without members that are explicitly null, which clients send for what they leave out. */
export function withoutNulls<T extends object>(given: T): Partial<T> {
  const entries = Object.entries(given);
  if (entries.every(([, value]) => value !== null)) return given;
  return Object.fromEntries(entries.filter(([, value]) => value !== null)) as Partial<T>;
}
