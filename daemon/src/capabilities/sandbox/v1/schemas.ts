import { z } from 'zod';
import { QueryFlag } from '../../../http/fields.ts';

const ToolSpec = z.object({
  ver: z.string().nullable(),
  bin: z.string().nullable(),
  alias: z.array(z.string()),
});

const SandboxDetail = z
  .object({
    system: z.object({
      os: z.string(),
      os_version: z.string(),
      arch: z.string(),
      user: z.string(),
      home_dir: z.string(),
      workspace: z.string().nullable(),
      timezone: z.string(),
      occupied_ports: z.array(z.string()),
    }),
    runtime: z.object({ python: z.array(ToolSpec), nodejs: z.array(ToolSpec) }),
    utils: z.array(
      z.object({
        category: z.string(),
        tools: z.array(z.object({ name: z.string(), description: z.string().nullable() })),
      }),
    ),
  })
  .meta({ id: 'SandboxDetail' });

/** The envelope of 1.x with fields beside `data`. */
export const SandboxResponse = z
  .object({
    success: z.boolean(),
    message: z.string(),
    data: z.string().meta({ description: 'The sandbox as text for a model.' }),
    hint: z.string().nullable(),
    home_dir: z.string(),
    workspace: z.string(),
    version: z.string(),
    detail: SandboxDetail,
  })
  .meta({ id: 'SandboxResponse' });

/** `?refresh=`, `?refresh=1` and `?refresh=true` look again. */
export const RefreshQuery = z.object({
  refresh: z
    .union([z.literal('').transform(() => true), QueryFlag])
    .default(false)
    .meta({
      anyOf: [{ type: 'boolean' }, { type: 'string', enum: ['', '0', '1', 'yes', 'no', 'on', 'off'] }],
      description: 'Look again instead of answering what was found up to 5 s ago.',
    }),
});
