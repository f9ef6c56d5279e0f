import { z } from 'zod';
import { Text } from '../../../http/fields.ts';

/** Names that one answer carries. */
export const NAMES_MAX = 10_000;
/** Arguments of a program are bounded in length. */
export const Pattern = Text.max(64 * 1024);
export const Globs = z.array(Text.min(1).max(4096)).max(200);
