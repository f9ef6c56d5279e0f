import type { IncomingMessage } from 'node:http';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { type BodyFault, keptTexts, readJsonBody } from '../../../http/protocols/json-body.ts';

/** Bytes of a JSON body. */
const JSON_BYTES = 8 * 1024 ** 2;

const Texts = keptTexts(z.string(), z.string());
const Seconds = z
  .number()
  .int()
  .min(0)
  .max(2 ** 31);

export const CreateBody = z.looseObject({
  templateID: z.string().max(256).default('base'),
  timeout: Seconds.optional(),
  metadata: Texts.nullish(),
  envVars: Texts.nullish(),
});

export const ConnectBody = z.looseObject({ timeout: Seconds.optional() });
export const TimeoutBody = z.looseObject({ timeout: Seconds });
export const RefreshBody = z.looseObject({ duration: Seconds.optional() });

export const InitBody = z.looseObject({
  envVars: Texts.nullish(),
  accessToken: z.string().min(1).max(4096).nullish(),
  defaultUser: z.string().max(256).nullish(),
  defaultWorkdir: z.string().max(4096).nullish(),
});

/** @throws SandboxError `invalid` that names the field, `too_large` */
export function readBody<T>(req: IncomingMessage, schema: z.ZodType<T>): Promise<T> {
  return readJsonBody(req, schema, { bytes: JSON_BYTES, mayBeEmpty: true, refusal });
}

function refusal(fault: BodyFault): SandboxError {
  if (fault.field === undefined) return new SandboxError('invalid', 'the body is not JSON', { cause: fault.cause });
  return new SandboxError('invalid', `${fault.field}: ${fault.message}`);
}
