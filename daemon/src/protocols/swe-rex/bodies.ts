import type { IncomingMessage } from 'node:http';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { type BodyFault, readJsonBody } from '../../http/protocols/json-body.ts';

/** Bytes of a JSON body; a file is written by one. */
const JSON_BYTES = 64 * 1024 ** 2;
const SECONDS_MAX = 86_400;

const noNul = z.string().refine((text) => !text.includes('\0'), 'contains NUL');
const seconds = z.number().min(0).max(SECONDS_MAX);
const session = z.string().min(1).max(256).default('default');
const expected = z.array(z.string().min(1).max(1000)).max(64).default([]);

export const CreateSessionBody = z.looseObject({
  session,
  session_type: z.literal('bash').default('bash'),
  startup_source: z.array(noNul).default([]),
  startup_timeout: seconds.default(1),
});

const BashAction = z.looseObject({
  action_type: z.literal('bash').default('bash'),
  command: noNul,
  session,
  timeout: seconds.nullish(),
  is_interactive_command: z.boolean().default(false),
  is_interactive_quit: z.boolean().default(false),
  check: z.enum(['silent', 'raise', 'ignore']).default('raise'),
  error_msg: z.string().default(''),
  expect: expected,
});

const InterruptAction = z.looseObject({
  action_type: z.literal('bash_interrupt'),
  session,
  timeout: seconds.default(0.2),
  n_retry: z.int().min(0).max(100).default(3),
  expect: expected,
});

export const ActionBody = z.union([InterruptAction, BashAction]);
export type BashAction = z.output<typeof BashAction>;
export type InterruptAction = z.output<typeof InterruptAction>;

export const CloseSessionBody = z.looseObject({ session });

export const CommandBody = z.looseObject({
  command: z.union([noNul, z.array(noNul).min(1)]),
  timeout: seconds.nullish(),
  shell: z.boolean().default(false),
  check: z.boolean().default(false),
  error_msg: z.string().default(''),
  env: z.record(z.string().regex(/^[^=\0]+$/), noNul).nullish(),
  cwd: noNul.nullish(),
  merge_output_streams: z.boolean().default(false),
});
export type CommandRequest = z.output<typeof CommandBody>;

export const ReadFileBody = z.looseObject({
  path: noNul.min(1),
  encoding: z.string().nullish(),
  errors: z.string().nullish(),
});

export const WriteFileBody = z.looseObject({ path: noNul.min(1), content: z.string() });

/** @throws SandboxError `unprocessable` that names the field, `too_large` */
export function readBody<T>(req: IncomingMessage, schema: z.ZodType<T>): Promise<T> {
  return readJsonBody(req, schema, { bytes: JSON_BYTES, mayBeEmpty: false, refusal });
}

function refusal(fault: BodyFault): SandboxError {
  if (fault.field === undefined)
    return new SandboxError('unprocessable', 'the body is not JSON', { cause: fault.cause });
  return new SandboxError('unprocessable', `${fault.field}: ${fault.message}`);
}
