import { queryNumber } from '@sandbox/api/http/fields/query-number.ts';
import { z } from 'zod';
import { Account, QueryFlag } from '../../../http/fields.ts';
import { DirectoryFields, NamedPath, PathFields, requirePath, SourceFields } from '../../../http/files/file-fields.ts';
import { UnreadFields } from '../../../http/files/unread-fields.ts';
import { REPLACE_MODES } from '../edit/edit.ts';
import { LIST_MAX } from '../read/list.ts';
import { READ_BYTES_MAX } from '../read/read.ts';

/** Permission bits: octal digits as for `chmod`, or a number. */
const Mode = z
  .union([z.string().regex(/^0?[0-7]{3,4}$/, 'expected octal digits such as 0644'), z.int().min(0).max(0o7777)])
  .transform((mode) => (typeof mode === 'string' ? Number.parseInt(mode, 8) : mode))
  .meta({ description: 'Permission bits: octal digits, or their number.' });

/** In a query, where every value is text. */
export const ModeText = z
  .string()
  .regex(/^0?[0-7]{3,4}$/, 'expected octal digits such as 0644')
  .transform((mode) => Number.parseInt(mode, 8))
  .meta({ description: 'Permission bits: octal digits.' });

export const FileUploaded = z
  .object({
    ...NamedPath,
    file_path: z.string(),
    file_size: z.int().meta({ description: 'Bytes that are there.' }),
    success: z.boolean(),
    complete: z.boolean().meta({ description: 'Whether it is a file now, or a part of one.' }),
    sha256: z.string().nullable(),
    etag: z.string().nullable(),
  })
  .meta({ id: 'FileUploaded' });

export const ChangePolicyField = z
  .enum(['ignore', 'abort'])
  .default('ignore')
  .meta({ description: 'abort: 409, or a cut connection, if the file changes while it is sent.' });

export const ReadQuery = z
  .object({
    ...PathFields,
    start_line: queryNumber(z.int().min(0)).optional().meta({ description: 'First line, counted from 0.' }),
    end_line: queryNumber(z.int().min(0)).optional().meta({ description: 'The line after the last one.' }),
    encoding: z.enum(['utf-8', 'base64']).default('utf-8'),
    offset: queryNumber(z.int().min(0)).optional().meta({ description: 'First byte.' }),
    length: queryNumber(z.int().min(0))
      .optional()
      .meta({ description: `Bytes; at most ${READ_BYTES_MAX}.` }),
    user: Account.optional(),
  })
  .check(requirePath('path'));

export const FileText = z
  .object({
    ...NamedPath,
    file: z.string(),
    content: z.string(),
    line_count: z.int().meta({ description: 'Lines of the whole file; 0 where bytes were asked for.' }),
    etag: z.string(),
    size: z.int().optional().meta({ description: 'Of the whole file; only if bytes were asked for.' }),
    next_offset: z.int().optional().meta({ description: 'Where to continue; only if bytes were asked for.' }),
  })
  .meta({ id: 'FileText' });

export const WriteBody = z
  .object({
    ...PathFields,
    content: z.string(),
    encoding: z
      .enum(['utf-8', 'base64', 'raw'])
      .default('utf-8')
      .meta({ description: 'raw: each character is one byte, U+0000 to U+00FF.' }),
    append: z.boolean().default(false),
    leading_newline: z.boolean().default(false),
    trailing_newline: z.boolean().default(false),
    mode: Mode.optional(),
    atomic: z.boolean().default(false).meta({ description: 'Write beside the file, to the disk, then rename.' }),
    if_match: z.string().optional().meta({ description: 'The etag that the file must have; 409 otherwise.' }),
  })
  .check(requirePath('path'))
  .meta({ id: 'WriteFile', example: { path: '/tmp/example/hello.txt', content: 'hello\n' } });

export const FileWritten = z
  .object({ ...NamedPath, file: z.string(), bytes_written: z.int(), etag: z.string(), created: z.boolean() })
  .meta({ id: 'FileWritten' });

export const EditBody = z
  .object({
    ...PathFields,
    command: z.string().meta({ description: 'str_replace, insert or undo_edit.' }),
    old_str: z.string().optional(),
    new_str: z.string().optional(),
    insert_line: z.int().optional().meta({ description: 'The line after which to insert; 0: at the beginning.' }),
    replace_mode: z
      .enum(REPLACE_MODES)
      .optional()
      .meta({ description: 'Which occurrences; unset: there must be exactly one.' }),
    if_match: z.string().optional(),
  })
  .check(requirePath('path'))
  .meta({
    id: 'EditFile',
    example: { path: '/tmp/example/hello.txt', command: 'str_replace', old_str: 'hello', new_str: 'goodbye' },
  });

export const FileEdited = z
  .object({
    ...NamedPath,
    output: z.string().meta({ description: 'The edited lines, numbered.' }),
    old_content: z.string(),
    new_content: z.string(),
    prev_exist: z.boolean(),
    etag: z.string(),
  })
  .meta({ id: 'FileEdited' });

export const StatQuery = z
  .object({ ...PathFields, follow_symlinks: QueryFlag.default(true), user: Account.optional() })
  .check(requirePath('path'));

export const FileStatus = z
  .object({
    ...NamedPath,
    type: z.string().meta({ description: 'file, directory, symlink, FIFO, socket, block device or character device.' }),
    size: z.int(),
    permissions: z.string().meta({ description: 'As ls -l shows them.' }),
    is_directory: z.boolean(),
    is_symlink: z.boolean().meta({ description: 'Of the path itself, also if the link was followed.' }),
    modified_time: z.iso.datetime(),
    mode: z.string().meta({ description: 'Octal digits.' }),
    uid: z.int(),
    gid: z.int(),
    user: z.string().nullable(),
    group: z.string().nullable(),
    inode: z.int(),
    etag: z.string(),
    mime_type: z.string(),
    symlink_target: z.string().nullable(),
  })
  .meta({ id: 'FileStat' });

export const ListQuery = z
  .object({
    ...DirectoryFields,
    recursive: QueryFlag.default(false),
    max_depth: queryNumber(z.int().min(1)).optional(),
    show_hidden: QueryFlag.default(true),
    cursor: z.string().min(1).optional().meta({ description: 'Where the list before this one ended.' }),
    limit: queryNumber(z.int().min(1).max(LIST_MAX)).prefault(LIST_MAX),
    user: Account.optional(),
  })
  .check(requirePath('path'));

const Entry = z
  .object({
    name: z.string(),
    ...NamedPath,
    is_directory: z.boolean().meta({ description: 'Also of a link that leads to one.' }),
    is_symlink: z.boolean(),
    is_hidden: z.boolean(),
    size: z.int(),
    extension: z.string().nullable(),
    modified_time: z.iso.datetime(),
    permissions: z.string(),
  })
  .meta({ id: 'FileEntry' });

export const FileList = z
  .object({
    ...NamedPath,
    files: z.array(Entry),
    total_count: z.int().meta({ description: 'Of this answer.' }),
    file_count: z.int(),
    directory_count: z.int(),
    truncated: z.boolean(),
    cursor: z.string().nullable().meta({ description: 'Where to continue; null at the end of the list.' }),
    ...UnreadFields,
  })
  .meta({ id: 'FileList' });

export const MkdirBody = z
  .object({ ...PathFields, parents: z.boolean().default(false) })
  .check(requirePath('path'))
  .meta({ id: 'MakeDirectory', example: { path: '/tmp/example/new' } });

export const CopyBody = z
  .object({ ...SourceFields, overwrite: z.boolean().default(false) })
  .check(requirePath('source'), requirePath('destination'))
  .meta({ id: 'CopyOrMove', example: { source: '/tmp/example/hello.txt', destination: '/tmp/example/copy.txt' } });

export const Copied = z
  .object({
    source: z.string(),
    destination: z.string(),
    skipped: z
      .int()
      .meta({ description: 'FIFOs, sockets and devices, and files that a lease keeps closed, which were left out.' }),
  })
  .meta({ id: 'CopiedOrMoved' });

export const DeleteBody = z
  .object({ ...PathFields, recursive: z.boolean().default(false) })
  .check(requirePath('path'))
  .meta({ id: 'DeleteFile', example: { path: '/tmp/example/hello.txt' } });

export const OnePath = z.object(NamedPath).meta({ id: 'OnePath' });
