/** The name of a camelCase key on the wire. */
export function wireName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The data of an error with all its keys as they are named on the wire. */
export function wireNamed(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(wireNamed);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [wireName(key), wireNamed(value)]));
}
