import { z } from 'zod';
import type { Claim, ClaimTerms } from '../../../core/access/claim/claim-record.ts';
import { StringMap, Text } from '../../../http/fields.ts';

export const CLAIM_PATH = '/v2/sandbox/claim';

/** Bytes of all variables together; a process takes about 2 MiB of arguments and environment. */
const ENV_BYTES = 1024 * 1024;
/** Bytes of one variable: MAX_ARG_STRLEN of Linux. */
const VARIABLE_BYTES = 128 * 1024;
const MAX_LABELS = 64;
const MAX_ORIGINS = 100;

const Variables = StringMap.refine((env) => {
  const sizes = Object.entries(env).map(([name, value]) => Buffer.byteLength(`${name}=${value}`) + 1);
  return sizes.every((size) => size <= VARIABLE_BYTES) && sizes.reduce((sum, size) => sum + size, 0) <= ENV_BYTES;
}, `is over ${VARIABLE_BYTES} bytes in one variable or ${ENV_BYTES} in all`);

const Labels = StringMap.refine(
  (labels) =>
    Object.keys(labels).length <= MAX_LABELS &&
    Object.entries(labels).every(([name, value]) => name.length <= 256 && value.length <= 1024),
  `has more than ${MAX_LABELS} labels, or one over 1024 characters`,
);

export const ClaimRequest = z
  .object({
    api_key: z
      .string()
      .max(4096)
      .regex(/^[\x21-\x7e]+$/, 'expected visible ASCII characters')
      .optional()
      .meta({ description: 'The key from now on. Without one, and without another key, the sandbox is open.' }),
    env: Variables.default({}).meta({
      description: 'Variables of every command and terminal that starts from now on.',
    }),
    allowed_origins: z
      .array(Text.max(2048).refine(isOrigin, 'expected an origin such as https://app.example'))
      .max(MAX_ORIGINS)
      .default([])
      .meta({ description: 'Web origins besides SVC_ALLOWED_ORIGINS.' }),
    labels: Labels.default({}).meta({ description: 'What the sandbox is called; GET /v2/sandbox has it.' }),
  })
  .meta({
    id: 'ClaimRequest',
    example: { api_key: 'a-secret-of-this-sandbox', env: { TASK: 'seven' }, labels: { tenant: 'blue' } },
  });

export const ClaimResult = z
  .object({
    claimed_at: z.iso.datetime(),
    has_key: z.boolean().meta({ description: 'Whether the claim set a key.' }),
    env: z.array(z.string()).meta({ description: 'Names of the variables.' }),
    allowed_origins: z.array(z.string()),
    labels: z.record(z.string(), z.string()),
  })
  .meta({ id: 'ClaimResult' });

export function claimOf(body: z.output<typeof ClaimRequest>): ClaimTerms {
  return { apiKey: body.api_key, env: body.env, allowedOrigins: body.allowed_origins, labels: body.labels };
}

export function claimData({ claimedAt, apiKey, env, allowedOrigins, labels }: Claim): z.input<typeof ClaimResult> {
  return {
    claimed_at: claimedAt,
    has_key: apiKey !== undefined,
    env: Object.keys(env),
    allowed_origins: [...allowedOrigins],
    labels: { ...labels },
  };
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).pathname === '/';
}
