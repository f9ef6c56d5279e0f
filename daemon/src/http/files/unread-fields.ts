import { z } from 'zod';
import { type UnreadCounts, unreadTotal } from '../../core/files/walk/unread.ts';

/** Of a result of a walk through a tree. */
export const UnreadFields = {
  unreadable_count: z
    .int()
    .optional()
    .meta({ description: 'Only if `truncated` for that reason: entries that could not be read; `hint` says why.' }),
};

export function unreadField(counts: UnreadCounts | undefined): { unreadable_count?: number } {
  return counts === undefined ? {} : { unreadable_count: unreadTotal(counts) };
}
