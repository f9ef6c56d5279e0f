import { z } from 'zod';
import { CommandStatus } from './schemas.ts';

const Stream = z.enum(['stdout', 'stderr']);
const Offset = z.int().meta({ description: 'Of the first byte in all of the stream.' });

/** A line of the stream of a command. */
export const CommandEvent = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('started'),
        command_id: z.string(),
        session_id: z.string().nullable(),
        pid: z.int().nullable(),
        started_at: z.string(),
      })
      .meta({ id: 'CommandStartedEvent', description: 'First, if the call has started the command.' }),
    z
      .object({
        type: Stream,
        offset: Offset,
        data: z.string().optional(),
        data_base64: z.string().optional().meta({ description: 'Instead of data, if the bytes are not text.' }),
      })
      .meta({ id: 'CommandOutputEvent' }),
    z
      .object({ type: z.literal('dropped'), stream: Stream, first_offset: z.int() })
      .meta({ id: 'CommandDroppedEvent', description: 'What is before first_offset is no longer kept.' }),
    z.object({ type: z.literal('heartbeat') }).meta({ id: 'Heartbeat', description: 'After 15 s of silence.' }),
    z
      .object({
        type: z.literal('exit'),
        status: CommandStatus,
        exit_code: z.int().nullable(),
        signal: z.string().nullable(),
        oom_killed: z.boolean().nullable(),
        oom_process: z.string().nullable(),
        stdout_bytes: z.int(),
        stderr_bytes: z.int(),
        message: z.string().optional().meta({ description: 'Why it could not be started.' }),
      })
      .meta({ id: 'CommandExitEvent', description: 'Last. A stream without it was cut: go on by offset.' }),
  ])
  .meta({ id: 'CommandEvent' });
