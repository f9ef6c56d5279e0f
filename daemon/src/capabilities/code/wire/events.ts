import { z } from 'zod';
import { CellResult, NotebookOutput } from './schemas.ts';

const Offset = z.int().meta({ description: 'Number of the output.' });

/** A line of the stream of a cell. */
export const CellEvent = z
  .discriminatedUnion('type', [
    z
      .object({ type: z.literal('execution'), execution_id: z.string(), session_id: z.string().nullable() })
      .meta({ id: 'CellStartedEvent', description: 'First.' }),
    z.object({ type: z.literal('output'), offset: Offset, output: NotebookOutput }).meta({ id: 'CellOutputEvent' }),
    z
      .object({ type: z.literal('input_request'), offset: Offset, prompt: z.string(), password: z.boolean() })
      .meta({ id: 'CellInputRequestEvent', description: 'input() waits for an answer.' }),
    z
      .object({ type: z.literal('dropped'), first_offset: z.int() })
      .meta({ id: 'CellDroppedEvent', description: 'Outputs before first_offset are no longer kept.' }),
    z.object({ type: z.literal('heartbeat') }).meta({ id: 'CellHeartbeat', description: 'After 15 s of silence.' }),
    CellResult.omit({ outputs: true })
      .extend({ type: z.literal('result'), offset: z.int(), message: z.string() })
      .meta({ id: 'CellResultEvent', description: 'Last. A stream without it was cut: go on by offset.' }),
  ])
  .meta({ id: 'CellEvent' });
