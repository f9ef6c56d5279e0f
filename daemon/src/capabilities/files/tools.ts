import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { z } from 'zod';
import { FileFailure } from '../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../core/files/file-path.ts';
import { unreadReason } from '../../core/files/walk/unread.ts';
import { FILE_OPERATIONS, fileOperation, OPERATION_FIELDS } from '../../core/tools/file-operation.ts';
import { defineTool } from '../../core/tools/tool.ts';
import { ToolAnswer } from '../../core/tools/tool-answer.ts';
import { REPLACE_MODES } from './edit/edit.ts';
import type { FileService } from './file-service.ts';
import { permissionsOf } from './read/kinds.ts';
import { LIST_MAX, type ListEntry } from './read/list.ts';
import { contentBytes, editCommand, includesTypes } from './wire/wire.ts';

/** Characters of a file, and entries of a directory, in one result. */
const TEXT_CHARACTERS = 256 * 1024;
const ENTRIES = 1000;

const line = z.int().min(0).optional();

const operations = defineTool({
  ...FILE_OPERATIONS,
  actions: ['read', 'write', 'replace', 'list'],
  schema: z.object({
    ...OPERATION_FIELDS,
    content: z.string().optional(),
    target: z.string().optional(),
    encoding: z.enum(['utf-8', 'base64', 'raw']).default('utf-8').meta({
      description: 'Of content; base64 for what is not text.',
    }),
    start_line: line,
    end_line: line,
    append: z.boolean().default(false).meta({ description: 'write: at the end of the file.' }),
    recursive: z.boolean().optional().meta({ description: 'list: default false; grep: default true.' }),
    show_hidden: z.boolean().default(true).meta({ description: 'list: also names with a dot first.' }),
    file_types: z.array(z.string()).max(100).optional().meta({ description: 'list: extensions.' }),
    sudo: z.boolean().default(false).meta({ description: 'write: a new file belongs to root.' }),
    max_results: z.int().min(1).max(LIST_MAX).optional(),
    include_metadata: z.boolean().optional().meta({ description: 'list, glob: size and time.' }),
  }),
  handler: (files: FileService, args) =>
    fileOperation(args, files.paths, async (path) => {
      switch (args.action) {
        case 'read':
          return args.encoding === 'base64' ? await readBytes(files, path) : await readLines(files, path, args);
        case 'write': {
          const content = required(args.content, 'content');
          const newlines = { leading_newline: false, trailing_newline: false };
          const bytes = contentBytes({ content, encoding: args.encoding, ...newlines }, path);
          const { sudo, append } = args;
          await files.write(path, { bytes, append }, { sudo });
          return { bytes_written: bytes.length };
        }
        case 'replace': {
          const [target, content] = [required(args.target, 'target'), required(args.content, 'content')];
          return { replaced_count: await files.replace(path, target, content) };
        }
        default:
          return await list(files, path, args);
      }
    }),
});

async function readLines(
  files: FileService,
  path: FilePath,
  args: { start_line?: number | undefined; end_line?: number | undefined },
) {
  const { content, lineCount } = await files.readText(path, { startLine: args.start_line, endLine: args.end_line });
  if (content.length <= TEXT_CHARACTERS) return { content, line_count: lineCount };
  const end = content.lastIndexOf('\n', TEXT_CHARACTERS);
  const shown = content.slice(0, end < 0 ? TEXT_CHARACTERS : end + 1);
  const next = (args.start_line ?? 0) + shown.split('\n').length - 1;
  const hint = `the file has more lines: read from start_line ${next}`;
  return { content: shown, line_count: lineCount, truncated: true, hint };
}

async function readBytes(files: FileService, path: FilePath) {
  const { bytes, size } = await files.readBytes(path, { offset: 0, length: TEXT_CHARACTERS });
  const truncated = bytes.length < size;
  return { content: bytes.toString('base64'), encoding: 'base64', size, ...(truncated && { truncated }) };
}

interface ListArguments {
  readonly recursive?: boolean | undefined;
  readonly show_hidden: boolean;
  readonly file_types?: readonly string[] | undefined;
  readonly max_results?: number | undefined;
  readonly include_metadata?: boolean | undefined;
}

async function list(files: FileService, path: FilePath, args: ListArguments) {
  const { entries, cursor, unread } = await files.list({
    path,
    recursive: args.recursive ?? false,
    showHidden: args.show_hidden,
    limit: args.max_results ?? ENTRIES,
    includes: includesTypes(args.file_types),
  });
  const more = 'the directory has more entries: raise max_results, or list a directory below';
  const hints = [...(cursor === undefined ? [] : [more]), unreadReason(unread)].filter((hint) => hint !== undefined);
  return {
    files: entries.map((entry) => entryData(entry, args.include_metadata ?? true)),
    total_count: entries.length,
    ...(hints.length > 0 && { truncated: true, hint: hints.join('; ') }),
  };
}

function entryData({ name, path, stats, isDirectory }: ListEntry, withMetadata: boolean) {
  const base = { name: shownPath(name), path: shownPath(path), is_directory: isDirectory };
  if (!withMetadata) return base;
  return {
    ...base,
    size: stats.size,
    modified_time: stats.mtime.toISOString(),
    permissions: permissionsOf(stats),
  };
}

/** @throws SandboxError `invalid` naming the argument */
function required(value: string | undefined, field: string): string {
  if (value === undefined) throw new SandboxError('invalid', 'is required', { field });
  return value;
}

const editor = defineTool({
  name: 'sandbox_str_replace_editor',
  order: 4,
  title: 'View and edit a text file',
  description: `Shows a file with line numbers, creates one, or edits one place of it.
view: the file, or its lines view_range [first, last] from 1 (last -1: to the end); or the entries of a directory.
create: a file with file_text. str_replace: old_str, copied exactly from the file, where it must occur once unless
replace_mode is ALL, FIRST or LAST, becomes new_str. insert: new_str after line insert_line. undo_edit: takes the last
edit back.
Example: {"command": "str_replace", "path": "/home/sandbox/a.py", "old_str": "x = 1\\n", "new_str": "x = 2\\n"}`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  schema: z.object({
    command: z.enum(['view', 'create', 'str_replace', 'insert', 'undo_edit']),
    path: z.string().meta({ description: 'Absolute, ~/…, or relative to the home.' }),
    file_text: z.string().optional(),
    old_str: z.string().optional(),
    new_str: z.string().optional(),
    insert_line: z.int().min(0).optional().meta({ description: '0: at the beginning.' }),
    view_range: z.array(z.int()).max(2).optional(),
    replace_mode: z.enum(REPLACE_MODES).optional(),
  }),
  handler: async (files: FileService, args, { gone }) => {
    try {
      const path = files.paths.of({ path: args.path }, 'edit');
      if (args.command === 'view') return (await files.view(path, { lines: rangeOf(args.view_range) }, gone)).output;
      if (args.command === 'create')
        return (await files.create(path, required(args.file_text, 'file_text'), {})).output;
      return (await files.edit(path, editCommand(args, path))).output;
    } catch (error) {
      if (!(error instanceof FileFailure)) throw error;
      const { hint } = error.details;
      const { message } = error.file;
      return new ToolAnswer({ text: hint === undefined ? message : `${message}\nHint: ${hint}`, isError: true });
    }
  },
});

/** An empty range means everything. @throws SandboxError `invalid` unless it has two numbers */
function rangeOf(range: readonly number[] = []): readonly [number, number] | undefined {
  const [first, last] = range;
  if (first === undefined) return undefined;
  if (last === undefined) throw new SandboxError('invalid', 'is two numbers: [first, last]', { field: 'viewRange' });
  return [first, last];
}

export const fileTools = [operations, editor];
