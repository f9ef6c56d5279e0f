import { z } from 'zod';

/** Numbers as JSON writes them, also with a plus sign, or with the point first or last. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * A number of a query, where every value is text. Other text is refused: `Number` reads empty text as 0.
 * @param schema the bounds of the number
 */
export function queryNumber<T extends z.ZodNumber>(schema: T) {
  return z.preprocess(numberIn, schema);
}

function numberIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return DECIMAL.test(value.trim()) ? Number(value) : value;
}
