import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { systemFailure } from '../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../core/files/file-path.ts';
import { FILE_OPERATIONS, fileOperation, OPERATION_FIELDS } from '../../core/tools/file-operation.ts';
import { defineTool } from '../../core/tools/tool.ts';
import type { NamesResult } from './requests.ts';
import type { SearchService } from './search-service.ts';
import { Globs, NAMES_MAX, Pattern } from './wire/fields.ts';
import { grepAnswer, hintOf, isTruncated } from './wire/wire.ts';

/** Matches and names in one result. */
const RESULTS = 200;
/** Bytes; larger files in a directory are skipped. */
const FILE_BYTES = 1024 ** 2;

const Context = z.int().min(0).max(20).default(0);

const Arguments = z.object({
  ...OPERATION_FIELDS,
  pattern: Pattern.min(1).optional().meta({ description: 'A regular expression; find, glob: a glob.' }),
  content: Pattern.optional().meta({ description: 'Of write and replace; in search the same as pattern.' }),
  recursive: z.boolean().optional().meta({ description: 'list: default false; grep: default true.' }),
  include: Globs.default([]).meta({ description: 'grep: globs of files.' }),
  exclude: Globs.default([]).meta({ description: 'grep, glob: globs of what to leave out.' }),
  case_insensitive: z.boolean().default(false).meta({ description: 'grep, search.' }),
  fixed_strings: z.boolean().default(false).meta({ description: 'grep: pattern is plain text.' }),
  context_before: Context.meta({ description: 'grep: lines.' }),
  context_after: Context.meta({ description: 'grep: lines.' }),
  max_results: z
    .int()
    .min(1)
    .max(NAMES_MAX)
    .optional()
    .meta({
      description: `Default: ${RESULTS}; list: 1000.`,
    }),
  include_metadata: z.boolean().optional().meta({ description: 'list, glob: size and time.' }),
  files_only: z.boolean().default(true).meta({ description: 'glob: no directories.' }),
});

type Given = z.infer<typeof Arguments> & { readonly pattern: string };

const operations = defineTool({
  ...FILE_OPERATIONS,
  actions: ['search', 'find', 'grep', 'glob'],
  schema: Arguments,
  handler: (service: SearchService, given, { gone }) =>
    fileOperation(given, service.paths, (path) => {
      const isContent = given.action === 'grep' || given.action === 'search';
      const args = { ...given, pattern: patternOf(given) };
      return isContent ? grep(service, path, args, gone) : names(service, path, args, gone);
    }),
});

/** Of search also under the name that published notes give it. @throws SandboxError `invalid` */
function patternOf({ action, pattern, content }: z.infer<typeof Arguments>): string {
  const given = pattern ?? (action === 'search' && content !== '' ? content : undefined);
  if (given === undefined) throw new SandboxError('invalid', 'is required', { field: 'pattern' });
  return given;
}

async function grep(service: SearchService, path: FilePath, args: Given, gone: AbortSignal) {
  if (args.action === 'search' && service.isDirectory(path)) throw systemFailure('EISDIR', 'search', shownPath(path));
  const request = {
    path,
    pattern: args.pattern,
    recursive: args.recursive ?? true,
    include: args.include,
    exclude: args.exclude,
    fixedStrings: args.fixed_strings,
    caseInsensitive: args.case_insensitive,
    multiline: false,
    before: args.context_before,
    after: args.context_after,
    maxResults: args.max_results ?? RESULTS,
    offset: 0,
    type: undefined,
    maxFileSize: FILE_BYTES,
  };
  const result = await service.grep(request, gone);
  const { path: _, ...answer } = grepAnswer(request, result);
  return { ...answer, ...hinted(result) };
}

async function names(service: SearchService, path: FilePath, args: Given, gone: AbortSignal) {
  const found = await service.names(
    {
      path,
      pattern: args.pattern,
      dialect: 'python',
      exclude: args.exclude,
      hidden: false,
      filesOnly: args.action === 'glob' && args.files_only,
      maxResults: args.max_results ?? RESULTS,
      countAll: true,
    },
    gone,
  );
  const total = found.total ?? found.names.length;
  const truncated = isTruncated(found) || found.names.length < total;
  const stop = found.names.length < total ? 'results' : undefined;
  const more = hinted({ stop: found.stop ?? stop, unread: found.unread });
  if (args.action === 'find')
    return { files: found.names.map((name) => shownPath(name.path)), total_count: total, ...more };
  const facts = await service.facts(found.names);
  const files = facts.map((fact) => ({
    path: shownPath(fact.path),
    is_directory: fact.isDirectory,
    ...(args.include_metadata !== false && { size: fact.size, modified_time: fact.modifiedAt?.toISOString() ?? null }),
  }));
  return { files, total_count: total, truncated, ...more };
}

function hinted(ending: Pick<NamesResult, 'stop' | 'unread'>): { readonly hint?: string } {
  if (!isTruncated(ending)) return {};
  return { hint: hintOf(ending) ?? 'there are more: narrow the pattern or the path, or raise max_results' };
}

export const searchTools = [operations];
