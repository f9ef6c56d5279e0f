import { named } from '@sandbox/program/options.ts';
import { z } from 'zod';

const MODES = ['off', 'on'] as const;

export const TimelineOptions = {
  record: named(z.enum(MODES, { error: 'expected off or on' }).default('off'), {
    env: 'SVC_RECORD',
    flag: 'record',
    description: 'Keep a timeline of what happens in the sandbox: references, no content. off: the calls answer 501.',
  }),
  recordMaxBytes: named(z.coerce.number().int().min(1_048_576).max(1e15).default(536_870_912), {
    env: 'SVC_RECORD_MAX_BYTES',
    flag: 'record-max-bytes',
    description: 'Bytes of the timeline below SVC_RUNTIME_DIR; beyond them the oldest events are removed.',
  }),
  recordRedact: named(
    z
      .string()
      .transform(
        (text, context) => patternsOf(text) ?? (context.addIssue('expected regular expressions, one a line'), z.NEVER),
      )
      .default([]),
    {
      env: 'SVC_RECORD_REDACT',
      flag: 'record-redact',
      description: 'Regular expressions, one a line: what they match is left out of the timeline.',
    },
  ),
} as const;

/** Undefined if one of them is not a regular expression. */
function patternsOf(text: string): RegExp[] | undefined {
  try {
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => new RegExp(line, 'gu'));
  } catch {
    return undefined;
  }
}
