/** Converts a camelCase key to snake_case. */
export function wireName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Copies the data of an error with all keys in snake_case. */
export function wireNamed(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(wireNamed);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [wireName(key), wireNamed(value)]));
}
