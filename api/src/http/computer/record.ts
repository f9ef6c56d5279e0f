import { z } from 'zod';
import { ErrorBody, envelopeOf, V2_ERRORS } from '../envelope.ts';

/** The most pixels of a recording in each direction. */
export const RECORD_SIDE_MAX = 7_680;

/** Longest path of a recording, in characters. */
export const SAVE_PATH_MAX = 4_096;

/** What `POST /v2/computer/record` and its alias take; all but `action` counts with `start` only. */
export const RecordRequest = z
  .object({
    action: z.enum(['start', 'status', 'stop']),
    save_path: z.string().min(1).max(SAVE_PATH_MAX).optional().meta({
      description:
        'An MP4: absolute; on /v2 also `~`, or relative to the home. Default /tmp/recordings/recording_{timestamp}.mp4.',
    }),
    fps: z.int().positive().max(30).default(5),
    crf: z.int().min(0).max(51).default(28).meta({ description: '0 is lossless, 51 worst.' }),
    max_duration: z
      .number()
      .positive()
      .max(86_400)
      .default(600)
      .meta({ description: 'Seconds, after which the recording stops by itself.' }),
    width: z.int().positive().max(RECORD_SIDE_MAX).optional().meta({ description: "Default: the display's." }),
    height: z.int().positive().max(RECORD_SIDE_MAX).optional(),
  })
  .meta({ id: 'RecordRequest', example: { action: 'status' } });

const RecordResult = z
  .object({
    status: z.enum(['idle', 'recording', 'stopped']),
    save_path: z.string().nullable(),
    duration: z.number().meta({ description: 'Seconds.' }),
    file_size_bytes: z.int().nullable(),
    reason: z.string().nullable().meta({ description: 'Why the recording stopped by itself.' }),
  })
  .meta({ id: 'RecordResult' });

export const RECORD = {
  method: 'POST',
  url: '/computer/record',
  schema: {
    tags: ['computer'],
    operationId: 'recordDisplay',
    summary: 'Record the display to a file',
    body: RecordRequest,
    response: { 200: envelopeOf(RecordResult), ...V2_ERRORS, 409: ErrorBody, 503: ErrorBody, 507: ErrorBody },
  },
} as const;
