import { queryNumber } from '@sandbox/api/http/fields/query-number.ts';
import { z } from 'zod';
import { EVENT_KINDS } from '../../../core/recorder/event.ts';

/** Events in one answer. */
const LIMIT_MAX = 1000;
/** Seconds that a call waits for events. */
const WAIT_MAX = 60;
const FAMILIES = [...new Set(EVENT_KINDS.map((kind) => kind.split('.')[0] ?? kind))];

const WRONG_BOUND = 'expected the seq of an event, or a time such as 2026-01-31T14:03:00Z';
const SEQ = /^\d{1,15}$/;
const Time = z.iso.datetime({ offset: true });

const Bound = z
  .string()
  .regex(/^[\dTZ:.+-]{1,40}$/, WRONG_BOUND)
  .refine((text) => SEQ.test(text) || Time.safeParse(text).success, WRONG_BOUND)
  .transform((text) => (SEQ.test(text) ? Number(text) : new Date(text)))
  .optional();

const WRONG_KIND = `expected any of ${FAMILIES.join(', ')}, or kinds of them`;

const Kinds = z
  .string()
  .regex(/^[a-z.,]{1,512}$/, WRONG_KIND)
  .refine((text) => text.split(',').every(isKind), WRONG_KIND)
  .optional();

function isKind(text: string): boolean {
  return FAMILIES.includes(text) || EVENT_KINDS.some((kind) => kind === text);
}

export const TimelineQuery = z.object({
  after: Bound.meta({
    description: 'Only events after this seq or time, the oldest first. Without it: the newest.',
  }),
  before: Bound.meta({ description: 'Only events before this seq or time.' }),
  kinds: Kinds.meta({ description: 'Kinds, or what stands before their dot; comma separated.' }),
  actor: z.string().min(1).max(64).optional().meta({ description: 'Name of a key, protocol, or X-Actor.' }),
  q: z.string().min(1).max(256).optional().meta({ description: 'Part of a text of the event.' }),
  limit: queryNumber(z.int().min(1).max(LIMIT_MAX)).prefault(100),
  wait: queryNumber(z.number().min(0).max(WAIT_MAX)).prefault(0).meta({ description: 'Seconds to wait for an event.' }),
});

const Actor = z
  .object({
    key: z.string().nullable().meta({ description: 'Name of the key.' }),
    protocol: z.string().meta({ description: 'v2, v1, mcp, or a foreign protocol.' }),
    claimed: z.string().nullable().meta({ description: 'X-Actor of the request, which nothing proves.' }),
  })
  .meta({ id: 'TimelineActor' });

const TimelineEventSchema = z
  .object({
    seq: z.int(),
    at: z.iso.datetime().meta({ description: 'Wall clock.' }),
    tick: z.int().meta({ description: 'Milliseconds of a clock that does not jump.' }),
    kind: z.enum(EVENT_KINDS),
    actor: Actor.nullable().meta({ description: 'Null: it happened by itself.' }),
    refs: z
      .record(z.string(), z.string())
      .meta({ description: 'Ids of what it is about: command_id, session_id, path.' }),
    data: z.record(z.string(), z.unknown()).meta({ description: 'What the kind adds, such as ranges of bytes.' }),
  })
  .meta({ id: 'TimelineEvent' });

export const TimelineStreamEvent = z
  .discriminatedUnion('type', [
    TimelineEventSchema.extend({ type: z.literal('event') }).meta({ id: 'TimelineNext' }),
    z
      .object({ type: z.literal('overflow') })
      .meta({ id: 'TimelineOverflow', description: 'First: events after the bound were removed for room.' }),
    z.object({ type: z.literal('heartbeat') }).meta({ id: 'TimelineHeartbeat', description: 'After 15 s of silence.' }),
  ])
  .meta({ id: 'TimelineStreamEvent' });

export const TimelinePageSchema = z
  .object({
    events: z.array(TimelineEventSchema),
    cursor: z.int().meta({ description: 'after of the next page; without after: before of the one before.' }),
    more: z.boolean(),
    first_seq: z.int().meta({ description: 'The oldest event that is kept.' }),
    last_seq: z.int(),
    missed: z.boolean().meta({ description: 'Events after `after` were removed for room.' }),
    dropped: z
      .object({ count: z.int(), reason: z.string() })
      .nullable()
      .meta({ description: 'What the disk refuses now.' }),
  })
  .meta({ id: 'Timeline' });

const Seq = z.int();
const Id = z.string();

export const StateParams = z.object({
  seq: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'expected the number of an event')
    .meta({ description: 'The number of an event.', examples: ['1'] })
    .transform(Number),
});

export const TimelineStateSchema = z
  .object({
    seq: Seq.meta({ description: 'The last event until then.' }),
    at: z.iso.datetime(),
    tick: z.int(),
    whole: z.boolean().meta({ description: 'No event before it is missing, as far as the timeline knows.' }),
    commands: z.array(
      z.object({
        command_id: Id,
        session_id: Id.nullable(),
        command: z.string(),
        since_seq: Seq,
        stdin_bytes: z.int(),
      }),
    ),
    terminals: z.array(
      z.object({
        session_id: Id,
        cols: z.int(),
        rows: z.int(),
        since_seq: Seq,
        output_bytes: z.int().meta({ description: 'Offset in its history.' }),
        executes: z.string().nullable(),
      }),
    ),
    cells: z.array(
      z.object({ execution_id: Id, session_id: Id.nullable(), language: z.string(), code: z.string(), since_seq: Seq }),
    ),
    files: z
      .array(z.object({ path: z.string(), kind: z.string(), seq: Seq, etag: z.string().nullable() }))
      .meta({ description: 'Changed by calls until then, the newest 200, the newest last.' }),
    file_count: z.int().meta({ description: 'Changes until then.' }),
  })
  .meta({ id: 'TimelineState' });
