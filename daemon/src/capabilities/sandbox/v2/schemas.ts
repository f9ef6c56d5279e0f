import { z } from 'zod';
import { HOLDER_KINDS } from '../../../core/activity/activity.ts';
import { Capabilities } from '../wire/capabilities.ts';
import { SYSTEM_FIELDS } from '../wire/system.ts';

const Interpreter = z.object({ version: z.string().nullable(), path: z.string(), aliases: z.array(z.string()) });

export const SandboxInfo = z
  .object({
    version: z.string(),
    ...SYSTEM_FIELDS,
    workspace_dir: z.string(),
    uptime_seconds: z.number().meta({ description: 'Since the daemon started.' }),
    python: z.array(Interpreter),
    nodejs: z.array(Interpreter),
    tools: z.array(
      z.object({ category: z.string(), tools: z.array(z.object({ name: z.string(), description: z.string() })) }),
    ),
    labels: z.record(z.string(), z.string()).meta({ description: 'What the claim called the sandbox.' }),
    capabilities: Capabilities,
  })
  .meta({ id: 'SandboxInfo' });

const when = z.iso.datetime().nullable();

const KeyName = z.string().nullable().meta({ description: 'The name of the key that began it; null: it has none.' });

export const SandboxActivity = z
  .object({
    state: z.enum(['busy', 'idle']),
    since: z.iso.datetime().meta({ description: 'When the state began.' }),
    holders: z
      .array(z.object({ kind: z.enum(HOLDER_KINDS), id: z.string(), key: KeyName, since: z.iso.datetime() }))
      .meta({ description: 'What keeps the sandbox busy, oldest first.' }),
    last: z
      .object({ command: when, terminal: when, file: when, cell: when, browser: when, transfer: when })
      .meta({ description: 'The last use of each kind; null: none since the daemon started.' }),
  })
  .meta({ id: 'SandboxActivity' });

export const PackagesQuery = z.object({
  lang: z
    .string()
    .min(1)
    .meta({ description: 'python, nodejs or node.', examples: ['python'] }),
});
