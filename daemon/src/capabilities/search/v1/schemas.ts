import { z } from 'zod';
import { requirePath } from '../../../http/files/file-fields.ts';
import { UnreadFields } from '../../../http/files/unread-fields.ts';
import { FileFields, PathFieldsV1 } from '../../../http/v1/answers.ts';
import { Globs, Pattern } from '../wire/fields.ts';

const Glob = Pattern.min(1);

export const FindBodyV1 = z
  .object({ ...PathFieldsV1, glob: Glob })
  .check(requirePath('path'))
  .meta({ id: 'FileFindRequest', example: { path: '/tmp/example', glob: '*.txt' } });

export const FindResultV1 = z.object({ path: z.string(), files: z.array(z.string()) }).meta({ id: 'FileFindResult' });

export const GlobBodyV1 = z
  .object({
    ...PathFieldsV1,
    pattern: Glob,
    exclude: Globs.default([]),
    include_hidden: z.boolean().default(false),
    files_only: z.boolean().default(true),
    include_metadata: z.boolean().default(true),
    max_results: z.int().min(1).max(50_000).default(5000),
    sort_by: z.string().default('path').meta({ description: 'path, name, size or modified.' }),
    sort_desc: z.boolean().default(false),
  })
  .check(requirePath('path'))
  .meta({ id: 'FileGlobRequest', example: { path: '/tmp/example', pattern: '**/*.txt' } });

export const GlobResultV1 = z
  .object({
    path: z.string(),
    pattern: z.string(),
    files: z.array(
      z.object({
        path: z.string(),
        path_b64: z.string().optional(),
        name: z.string(),
        is_directory: z.boolean(),
        size: z.int().nullable(),
        modified_time: z.string().nullable(),
      }),
    ),
    total_count: z.int(),
    truncated: z.boolean(),
    ...UnreadFields,
  })
  .meta({ id: 'FileGlobResult' });

export const SearchBodyV1 = z
  .object({ ...FileFields, regex: Pattern, sudo: z.boolean().default(false) })
  .check(requirePath('file', 'path_b64'))
  .meta({ id: 'FileSearchRequest', example: { file: '/tmp/example/hello.txt', regex: 'hel+o' } });

export const SearchResultV1 = z
  .object({
    file: z.string(),
    matches: z
      .union([z.array(z.object({ line_number: z.int(), line: z.string(), match: z.string() })), z.array(z.string())])
      .meta({ description: 'Lines as text for the generated 1.x SDKs, by the header X-Fern-Language.' }),
    line_numbers: z.array(z.int()).meta({ description: 'From 1 on; from 0 on for the SDKs.' }),
  })
  .meta({ id: 'FileSearchResult' });
