import type { IncomingMessage } from 'node:http';
import { textOf } from '@sandbox/api/http/body.ts';
import { jsonExcess } from '@sandbox/program/json-shape.ts';
import { z } from 'zod';

/** Bytes of names and values that are kept for one session or sandbox: a change of one writes those of all. */
const KEPT_BYTES = 64 * 1024;

/** Variables or labels that outlive the request. */
export function keptTexts<K extends z.ZodString, V extends z.ZodType<string>>(name: K, value: V): z.ZodRecord<K, V> {
  return z
    .record(name, value)
    .refine(
      (texts) => Object.entries(texts).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0) <= KEPT_BYTES,
      `has over ${KEPT_BYTES} bytes of names and values`,
    );
}

/** What is wrong with a body: it is not JSON, or a field of it. */
export type BodyFault =
  | { readonly field?: undefined; readonly cause: unknown }
  | { readonly field: string; readonly message: string };

export interface JsonBodyTerms {
  readonly bytes: number;
  /** An empty body counts as an object without fields. */
  readonly mayBeEmpty: boolean;
  /** The error of the protocol. */
  readonly refusal: (fault: BodyFault) => Error;
}

/** @throws what `refusal` returns, SandboxError `too_large` */
export async function readJsonBody<T>(
  req: IncomingMessage,
  schema: z.ZodType<T>,
  { bytes, mayBeEmpty, refusal }: JsonBodyTerms,
): Promise<T> {
  const text = await textOf(req, { headers: req.headers }, bytes);
  const excess = jsonExcess(text);
  if (excess !== undefined) throw refusal({ field: 'body', message: `has ${excess}` });
  let value: unknown;
  try {
    value = mayBeEmpty && text.trim() === '' ? {} : JSON.parse(text);
  } catch (cause) {
    throw refusal({ cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw refusal({ field: issue?.path.join('.') || 'body', message: issue?.message ?? 'is invalid' });
}
