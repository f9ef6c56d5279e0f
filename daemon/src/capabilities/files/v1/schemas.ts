import { z } from 'zod';
import { NamedPath, requirePath } from '../../../http/files/file-fields.ts';
import { UnreadFields } from '../../../http/files/unread-fields.ts';
import { FileFields, PathFieldsV1 } from '../../../http/v1/answers.ts';
import { REPLACE_MODES } from '../edit/edit.ts';
import { CopyBody, DeleteBody, MkdirBody } from '../wire/schemas.ts';

const sudo = z.boolean().default(false).meta({ description: 'What is created belongs to root.' });
const named = requirePath('file', 'path_b64');

export const ReadBody = z
  .object({ ...FileFields, start_line: z.int().optional(), end_line: z.int().optional(), sudo })
  .check(named)
  .meta({ id: 'FileReadRequest', example: { file: '/tmp/example/hello.txt', start_line: 0, end_line: 10 } });

export const ReadResult = z
  .object({ content: z.string(), line_count: z.int(), file: z.string() })
  .meta({ id: 'FileReadResult' });

export const WriteBodyV1 = z
  .object({
    ...FileFields,
    content: z.string(),
    encoding: z.enum(['utf-8', 'base64', 'raw']).default('utf-8'),
    append: z.boolean().default(false),
    leading_newline: z.boolean().default(false),
    trailing_newline: z.boolean().default(false),
    sudo,
  })
  .check(named)
  .meta({ id: 'FileWriteRequest', example: { file: '/tmp/example/hello.txt', content: 'hello\n' } });

export const WriteResult = z.object({ file: z.string(), bytes_written: z.int() }).meta({ id: 'FileWriteResult' });

export const ReplaceBody = z
  .object({ ...FileFields, old_str: z.string(), new_str: z.string(), sudo })
  .check(named)
  .meta({
    id: 'FileReplaceRequest',
    example: { file: '/tmp/example/hello.txt', old_str: 'hello', new_str: 'goodbye' },
  });

export const ReplaceResult = z.object({ file: z.string(), replaced_count: z.int() }).meta({ id: 'FileReplaceResult' });

export const ListBody = z
  .object({
    ...PathFieldsV1,
    recursive: z.boolean().default(false),
    show_hidden: z.boolean().default(true),
    file_types: z.array(z.string()).optional().meta({ description: 'Extensions, with or without their dot.' }),
    max_depth: z.int().optional(),
    include_size: z.boolean().default(true),
    include_permissions: z.boolean().default(false),
    sort_by: z.string().default('name').meta({ description: 'name, size, modified or type.' }),
    sort_desc: z.boolean().default(false),
  })
  .check(requirePath('path'))
  .meta({ id: 'FileListRequest', example: { path: '/tmp/example' } });

const FileInfo = z
  .object({
    name: z.string(),
    ...NamedPath,
    is_directory: z.boolean(),
    size: z.int().nullable(),
    modified_time: z.string().nullable(),
    permissions: z.string().nullable(),
    extension: z.string().nullable(),
  })
  .meta({ id: 'FileInfo' });

export const ListResult = z
  .object({
    path: z.string(),
    files: z.array(FileInfo),
    total_count: z.int(),
    directory_count: z.int(),
    file_count: z.int(),
    truncated: z.boolean(),
    ...UnreadFields,
  })
  .meta({ id: 'FileListResult' });

const Range = z.array(z.int()).default([]);

export const EditorBody = z
  .object({
    ...PathFieldsV1,
    command: z.enum(['view', 'create', 'str_replace', 'insert', 'undo_edit']),
    file_text: z.string().optional(),
    old_str: z.string().optional(),
    new_str: z.string().optional(),
    insert_line: z.int().optional(),
    view_range: Range.meta({ description: 'First and last line of a text file, from 1; -1: to the last.' }),
    page_range: Range.meta({ description: 'First and last page of a PDF, from 1.' }),
    slide_range: Range.meta({ description: 'First and last slide of a PPTX, from 1.' }),
    row_range: Range.meta({ description: 'First and last row of the sheets of an Excel file, from 1.' }),
    sheet_name: z.string().optional().meta({ description: 'Unset: all sheets.' }),
    enable_metadata: z.boolean().default(false).meta({ description: 'Count the pages, slides or sheets.' }),
    replace_mode: z.enum(REPLACE_MODES).optional(),
  })
  .check(requirePath('path'))
  .meta({
    id: 'StrReplaceEditorRequest',
    example: { path: '/tmp/example/hello.txt', command: 'str_replace', old_str: 'hello', new_str: 'goodbye' },
  });

export const EditorResult = z
  .object({
    output: z.string(),
    error: z.string().nullable(),
    path: z.string(),
    prev_exist: z.boolean(),
    old_content: z.string().nullable(),
    new_content: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'StrReplaceEditorResult' });

export const UploadResult = z
  .object({ file_path: z.string(), file_size: z.int(), success: z.boolean(), sha256: z.string() })
  .meta({ id: 'FileUploadResult' });

/** Bodies of v2 with the field `sudo` of 1.x clients. */
export const StatBodyV1 = z
  .object({ ...PathFieldsV1, follow_symlinks: z.boolean().default(true) })
  .check(requirePath('path'))
  .meta({ id: 'FileStatRequest', example: { path: '/tmp/example/hello.txt' } });
export const MkdirBodyV1 = MkdirBody.safeExtend({ sudo }).meta({
  id: 'FileMkdirRequest',
  example: { path: '/tmp/example/new' },
});
export const CopyBodyV1 = CopyBody.safeExtend({ sudo }).meta({
  id: 'FileCopyRequest',
  example: { source: '/tmp/example/hello.txt', destination: '/tmp/example/copy.txt' },
});
export const DeleteBodyV1 = DeleteBody.safeExtend({ sudo }).meta({
  id: 'FileDeleteRequest',
  example: { path: '/tmp/example/hello.txt' },
});
