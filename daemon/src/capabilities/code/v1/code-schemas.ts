import { z } from 'zod';
import { Text } from '../../../http/fields.ts';
import { Id, TIMEOUT_MAX } from './jupyter-schemas.ts';
import { OutputV1 } from './output-v1.ts';

/** Seconds that a cell of 1.x may run if the call does not say. */
export const TIMEOUT = 30;

export const CodeLanguage = z.enum(['python', 'javascript']);

export const CodeExecuteBody = z
  .object({
    language: CodeLanguage,
    code: z.string(),
    timeout: z.int().min(1).max(TIMEOUT_MAX).default(TIMEOUT).meta({ description: 'Seconds.' }),
    cwd: Text.optional(),
    stateful: z.boolean().optional().meta({
      description: 'Keeps variables under session_id. Default: whether there is a session_id.',
    }),
    session_id: Id.meta({ description: 'Generated if absent; returned only with stateful.' }),
  })
  .meta({ id: 'CodeExecuteV1', example: { language: 'python', code: 'print(6 * 7)' } });

export const CodeResult = z
  .object({
    language: CodeLanguage,
    status: z.string(),
    outputs: z.array(OutputV1),
    code: z.string(),
    stdout: z.string().nullable(),
    stderr: z.string().nullable(),
    exit_code: z.int().nullable(),
    traceback: z.array(z.string()).nullable(),
    session_id: z.string().nullable(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'CodeResultV1' });

export const CodeInfoV1 = z
  .object({
    languages: z.array(
      z.object({
        language: CodeLanguage,
        description: z.string(),
        runtime_version: z.string().nullable(),
        default_timeout: z.int(),
        max_timeout: z.int(),
        details: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .meta({ id: 'CodeInfoV1' });
