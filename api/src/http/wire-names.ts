import { snakeCase } from '../fields/snake-case.ts';

/** Copies the data of an error with all keys in snake_case. */
export function wireNamed(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(wireNamed);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [snakeCase(key), wireNamed(value)]));
}
