import { queryNumber } from '@sandbox/api/http/fields/query-number.ts';
import { z } from 'zod';
import { DirectoryFields, NamedPath, PathFields, requirePath } from '../../../http/files/file-fields.ts';
import { UnreadFields } from '../../../http/files/unread-fields.ts';
import { Globs, NAMES_MAX, Pattern } from './fields.ts';

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** The largest number of 15 digits. */
const BYTES_MAX = 999_999_999_999_999;

const Context = z.int().min(0).max(20).default(0);

const FileSize = z
  .union([z.int().min(0).max(BYTES_MAX), z.string().meta({ pattern: '^[0-9]{1,15} ?[kKmMgG]?(?:[iI]?[bB])?$' })])
  .default('1M')
  .transform((given, context) => {
    const match = /^(\d{1,15})\s*([kmg]?)(?:i?b)?$/i.exec(String(given).trim());
    if (match !== null) return Number(match[1]) * (UNITS[match[2]?.toLowerCase() ?? ''] ?? 1);
    context.addIssue({ code: 'custom', message: 'expected a number of bytes, or one with K, M or G' });
    return z.NEVER;
  })
  .meta({ description: 'Larger files in a directory are passed over: bytes, or 500K, 1M, 2G.' });

export const GrepBody = z
  .object({
    ...PathFields,
    pattern: Pattern.meta({ description: "A regular expression in ripgrep's dialect." }),
    recursive: z.boolean().default(true),
    include: Globs.default([]).meta({ description: 'Only files that fit one: globs in the manner of .gitignore.' }),
    exclude: Globs.default([]).meta({ description: 'No files, and no directories, that fit one.' }),
    fixed_strings: z.boolean().default(false).meta({ description: 'The pattern means itself.' }),
    case_insensitive: z.boolean().default(false),
    multiline: z.boolean().default(false).meta({ description: 'A match may go over several lines.' }),
    context_before: Context,
    context_after: Context,
    max_results: z.int().min(1).max(10_000).default(500),
    offset: z.int().min(0).max(1_000_000).default(0).meta({ description: 'Matches that are passed over.' }),
    type: z
      .string()
      .regex(/^[\w+.-]{1,50}$/)
      .optional()
      .meta({ description: 'A file type of ripgrep: py, ts, rust …' }),
    max_file_size: FileSize,
  })
  .check(requirePath('path'))
  .meta({ id: 'Grep', example: { path: '/tmp/example', pattern: 'hel+o', include: ['*.txt'] } });

const GrepMatchInfo = z.object({
  file: z.string(),
  file_b64: z.string().optional().meta({ description: 'Only if the path is not UTF-8: its bytes in base64.' }),
  line_number: z.int().meta({ description: 'From 1 on.' }),
  line_content: z.string(),
  context_before: z.array(z.string()),
  context_after: z.array(z.string()),
});

export const GrepAnswer = z
  .object({
    ...NamedPath,
    pattern: z.string(),
    matches: z.array(GrepMatchInfo),
    match_count: z.int().meta({ description: 'Matches in this answer.' }),
    files_searched: z.int().nullable().meta({ description: 'Null if the search was ended early.' }),
    files_matched: z.int().meta({ description: 'Files with a match in this answer.' }),
    truncated: z.boolean().meta({ description: 'There may be more: ask again with a larger offset.' }),
    ...UnreadFields,
  })
  .meta({ id: 'GrepResult' });

export const SearchQuery = z
  .object({
    ...DirectoryFields,
    pattern: Pattern.min(1).meta({
      description: 'A glob; without a slash it fits names in every directory.',
      examples: ['*.txt'],
    }),
    limit: queryNumber(z.int().min(1).max(NAMES_MAX)).prefault(NAMES_MAX),
  })
  .check(requirePath('path'));

export const SearchAnswer = z
  .object({
    files: z.array(z.string()),
    truncated: z.boolean(),
    ...UnreadFields,
    not_utf8: z
      .array(z.object({ path: z.string(), path_b64: z.string() }))
      .optional()
      .meta({ description: 'The files whose paths are not UTF-8, exactly.' }),
  })
  .meta({ id: 'SearchResult' });
