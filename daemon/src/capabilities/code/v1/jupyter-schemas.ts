import { z } from 'zod';
import { SessionId, Text } from '../../../http/fields.ts';
import { OutputV1 } from './output-v1.ts';

/** Longest timeout of a cell on v1, in seconds. */
export const TIMEOUT_MAX = 300;

const KernelName = Text.max(128).optional().meta({ description: 'python3, python3.12, or another kernel.' });
export const Id = z.union([SessionId, z.literal('')]).optional();

export const JupyterExecuteBody = z
  .object({
    code: z.string(),
    timeout: z.int().min(1).max(TIMEOUT_MAX).default(30).meta({ description: 'Seconds.' }),
    kernel_name: KernelName,
    session_id: Id.meta({ description: 'Variables live under it between calls; unknown: made.' }),
    cwd: Text.optional().meta({ description: 'Directory of the kernel.' }),
  })
  .meta({ id: 'JupyterExecuteV1', example: { code: 'print(6 * 7)' } });

export const JupyterResult = z
  .object({
    kernel_name: z.string(),
    session_id: z.string().nullable(),
    status: z.string(),
    execution_count: z.int().nullable(),
    outputs: z.array(OutputV1),
    code: z.string(),
    msg_id: z.string().nullable(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'JupyterResultV1' });

export const JupyterSessions = z
  .object({
    sessions: z.record(z.string(), z.object({ kernel_name: z.string(), last_used: z.number(), age_seconds: z.int() })),
  })
  .meta({ id: 'JupyterSessionsV1' });

export const JupyterCreateBody = z
  .object({ session_id: Id, kernel_name: KernelName, cwd: Text.optional() })
  .meta({ id: 'JupyterCreateV1', example: { session_id: 'analysis' } });

export const JupyterCreated = z
  .object({ session_id: z.string(), kernel_name: z.string(), message: z.string() })
  .meta({ id: 'JupyterCreatedV1' });

export const JupyterInfo = z
  .object({
    default_kernel: z.string(),
    available_kernels: z.array(z.string()),
    active_sessions: z.int(),
    session_timeout_seconds: z.int(),
    max_sessions: z.int(),
    description: z.string(),
    kernel_detection: z.string(),
  })
  .meta({ id: 'JupyterInfoV1' });
