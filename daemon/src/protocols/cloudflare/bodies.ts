import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { type BodyFault, keptTexts, readJsonBody } from '../../http/protocols/json-body.ts';
import { Refused } from './answers.ts';

/** Bytes of a JSON body. */
const JSON_BYTES = 8 * 1024 ** 2;
/** The longest time of a command, in milliseconds. */
const TIMEOUT_MAX = 86_400_000;

export const SESSION_ID = /^(?!.*\.\.)[a-zA-Z0-9._-]{1,128}$/;

const noNul = z.string().refine((text) => !text.includes('\0'), 'contains NUL');

export const ExecBody = z.looseObject({
  argv: z
    .array(noNul, 'must be a non-empty array of strings')
    .min(1, 'must be a non-empty array')
    .refine(([program]) => program !== '', 'must begin with a program'),
  timeout_ms: z.number().positive().max(TIMEOUT_MAX).nullish(),
  cwd: noNul.nullish(),
});

export const SessionBody = z.looseObject({
  id: z.string().regex(SESSION_ID, 'must have 1 to 128 letters, digits and ._-').nullish(),
  cwd: noNul.max(4096, 'has over 4096 characters').nullish(),
  env: keptTexts(z.string().regex(/^[^=\0]+$/), noNul).nullish(),
});

export const TunnelBody = z.looseObject({
  name: z
    .string('must be a string when provided')
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a valid DNS label')
    .optional(),
});

/** @throws Refused 400 that names the field, SandboxError `too_large` */
export function readBody<T>(req: IncomingMessage, schema: z.ZodType<T>): Promise<T> {
  return readJsonBody(req, schema, { bytes: JSON_BYTES, mayBeEmpty: true, refusal });
}

function refusal(fault: BodyFault): Refused {
  return new Refused(400, fault.field === undefined ? 'Invalid JSON body' : `${fault.field} ${fault.message}`);
}
