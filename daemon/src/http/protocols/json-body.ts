import type { IncomingMessage } from 'node:http';
import { textOf } from '@sandbox/api/http/body.ts';
import type { z } from 'zod';

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
