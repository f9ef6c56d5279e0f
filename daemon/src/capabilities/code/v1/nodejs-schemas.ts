import { posix } from 'node:path';
import { z } from 'zod';
import { Text } from '../../../http/fields.ts';
import { TIMEOUT } from './code-schemas.ts';
import { Id, TIMEOUT_MAX } from './jupyter-schemas.ts';
import { OutputV1 } from './output-v1.ts';

/** Seconds without use after which a session of 1.x is closed. */
const IDLE = { min: 60, max: 86_400 } as const;

const Version = Text.max(32).meta({ description: 'node20, node22, node24 or the bare number.' });

export const VersionQuery = z.object({ version: Version.optional() });

const FileName = Text.min(1)
  .max(4096)
  .refine((name) => !posix.isAbsolute(name) && !posix.normalize(name).startsWith('..'), 'leads out of the directory')
  .refine((name) => !posix.normalize(name).endsWith('/') && posix.normalize(name) !== '.', 'is not a file name');

/** An entry with the value null is absent. */
const Files = z
  .record(FileName, z.string().nullable())
  .transform((files) =>
    Object.fromEntries(Object.entries(files).filter((file): file is [string, string] => file[1] !== null)),
  );

export const NodeExecuteBody = z
  .object({
    code: z.string(),
    timeout: z.int().min(1).max(TIMEOUT_MAX).default(TIMEOUT).meta({ description: 'Seconds.' }),
    files: Files.optional().meta({ description: 'By name; written where the script runs.' }),
    stateful: z.boolean().default(false).meta({ description: 'A REPL that keeps bindings and imports.' }),
    session_id: Id.meta({ description: 'Continues that REPL, with or without stateful.' }),
    cwd: Text.optional(),
    version: Version.optional(),
  })
  .meta({ id: 'NodejsExecuteV1', example: { code: 'console.log(6 * 7)' } });

export const NodeResult = z
  .object({
    language: z.literal('javascript'),
    status: z.string(),
    execution_count: z.int().nullable(),
    outputs: z.array(OutputV1),
    code: z.string(),
    stdout: z.string(),
    stderr: z.string(),
    exit_code: z.int(),
    session_id: z.string().nullable(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'NodejsResultV1' });

const Package = z.object({ name: z.string(), version: z.string() });

export const NodeInfo = z
  .object({
    node_version: z.string(),
    npm_version: z.string(),
    supported_languages: z.array(z.string()),
    description: z.string(),
    runtime_directory: z.string().nullable(),
    global_npm_directory: z.string().nullable(),
    runtime_packages: z.array(Package),
    global_packages: z.array(Package),
    error: z.string().nullable(),
    version: z.string().nullable(),
    available_versions: z.array(z.string()),
    current_version: z.string().nullable(),
  })
  .meta({ id: 'NodejsInfoV1' });

export const CreateNodeBody = z
  .object({
    session_id: Id,
    cwd: Text.optional(),
    max_idle_time: z.int().min(IDLE.min).max(IDLE.max).default(IDLE.max).meta({
      description: 'Seconds without use after which the session is closed; in answers milliseconds.',
    }),
  })
  .meta({ id: 'NodejsCreateV1', example: { session_id: 'analysis' } });

export const NodeSession = z
  .object({
    session_id: z.string(),
    cwd: z.string(),
    created_at: z.number().meta({ description: 'Milliseconds since 1970.' }),
    last_used: z.number().meta({ description: 'Milliseconds since 1970.' }),
    max_idle_time: z.int().meta({ description: 'Milliseconds.' }),
    age_seconds: z.int().meta({ description: 'Since the last use.' }),
    state: z.enum(['IDLE', 'EXECUTING']),
  })
  .meta({ id: 'NodejsSessionV1' });

export const NodeCreated = z
  .object({
    session_id: z.string(),
    created: z.boolean(),
    message: z.string().nullable(),
    session: NodeSession.nullable(),
  })
  .meta({ id: 'NodejsCreatedV1' });
