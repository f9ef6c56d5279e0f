/** The object without members that are explicitly null, which clients send for what they leave out. */
export function withoutNulls<T extends object>(given: T): Partial<T> {
  const entries = Object.entries(given);
  if (entries.every(([, value]) => value !== null)) return given;
  return Object.fromEntries(entries.filter(([, value]) => value !== null)) as Partial<T>;
}

/** A JSON value without the members of objects that are explicitly null. */
export function valueWithoutNulls(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? withoutNulls(value) : value;
}

/** The members of an object that are explicitly null. */
export function onlyNulls(value: unknown): object {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(members.filter(([, member]) => member === null));
}
