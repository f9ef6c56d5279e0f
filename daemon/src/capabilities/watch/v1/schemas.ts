import { z } from 'zod';
import { requirePath } from '../../../http/files/file-fields.ts';
import { PathFieldsV1 } from '../../../http/v1/answers.ts';
import { CHANGE_TYPES } from '../change.ts';
import { CreateWatchBody, WatchEventInfo } from '../wire/schemas.ts';

const Cursor = z.int().min(0);

export const PollBodyV1 = z
  .object({
    cursor: Cursor.optional(),
    since: Cursor.optional().meta({ description: 'An older name of cursor.' }),
    limit: z.int().min(1).max(1000).default(100),
    timeout: z.int().min(0).max(60).default(0),
  })
  .meta({ id: 'PollWatchV1', example: { cursor: 0, timeout: 0 } });

export const CreateWatchBodyV1 = z
  .object({ ...CreateWatchBody.shape, ...PathFieldsV1 })
  .check(requirePath('path'))
  .meta({ id: 'CreateWatchV1', example: { path: '/tmp/example', recursive: true } });

export const WaitBodyV1 = z
  .object({
    ...PathFieldsV1,
    timeout: z.int().min(1).max(300).default(30).meta({ description: 'Seconds.' }),
    event_types: z.array(z.enum(CHANGE_TYPES)).default([...CHANGE_TYPES]),
  })
  .check(requirePath('path'))
  .meta({ id: 'WaitForEventV1', example: { path: '/tmp/example', timeout: 1 } });

export const WaitedV1 = z.object({ event: WatchEventInfo }).meta({ id: 'WaitedV1' });
