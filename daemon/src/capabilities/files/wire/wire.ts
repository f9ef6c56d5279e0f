import { oneValue } from '@sandbox/api/http/fields/one-value.ts';
import { mimeTypeOf } from '@sandbox/program/mime-types.ts';
import type { z } from 'zod';
import { badRequest } from '../../../core/files/file-failure.ts';
import { exactPath, type FilePath, nameOf, shownPath } from '../../../core/files/file-path.ts';
import { bytesOfBase64 } from '../../../http/files/base64.ts';
import { pathFields } from '../../../http/files/file-fields.ts';
import { unreadField } from '../../../http/files/unread-fields.ts';
import type { EditResult } from '../edit/editor.ts';
import type { EditCommand } from '../file-service.ts';
import { extensionOf, isHidden } from '../names.ts';
import { kindOf, modeText, permissionsOf } from '../read/kinds.ts';
import type { ListEntry, Listing } from '../read/list.ts';
import type { FileStat } from '../read/stat.ts';
import type { Progress } from '../upload/resumable.ts';
import type { CopyBody, EditBody, FileEdited, FileList, FileStatus, FileUploaded, WriteBody } from './schemas.ts';

type ContentFields = Pick<z.infer<typeof WriteBody>, 'content' | 'encoding' | 'leading_newline' | 'trailing_newline'>;

/** @throws FileFailure `bad_request` if the content does not match its encoding */
export function contentBytes(
  { content, encoding, leading_newline, trailing_newline }: ContentFields,
  path: FilePath,
): Buffer {
  const bytes = decodeContent(content, encoding, path);
  if (!leading_newline && !trailing_newline) return bytes;
  return Buffer.concat([Buffer.from(leading_newline ? '\n' : ''), bytes, Buffer.from(trailing_newline ? '\n' : '')]);
}

function decodeContent(content: string, encoding: string, path: FilePath): Buffer {
  if (encoding === 'base64') {
    const bytes = bytesOfBase64(content);
    if (bytes !== undefined) return bytes;
    throw badRequest('content is not base64', 'write', shownPath(path));
  }
  if (encoding !== 'raw') return Buffer.from(content);
  const bytes = Buffer.from(content, 'latin1');
  if (bytes.toString('latin1') === content) return bytes;
  throw badRequest('content has characters above U+00FF, which are not bytes', 'write', shownPath(path), 'use utf-8');
}

/** @throws FileFailure `bad_request` with the missing field, or with the route to use instead */
export function editCommand(body: z.infer<typeof EditBody>, path: FilePath): EditCommand {
  const { command, old_str, new_str, insert_line, replace_mode } = body;
  const refuse = (message: string, hint?: string): Error => badRequest(message, 'edit', shownPath(path), hint);
  switch (command) {
    case 'str_replace':
      if (old_str === undefined) throw refuse('old_str is required for str_replace');
      return { command, oldStr: old_str, newStr: new_str ?? '', mode: replace_mode };
    case 'insert':
      if (insert_line === undefined) throw refuse('insert_line is required for insert');
      if (new_str === undefined) throw refuse('new_str is required for insert');
      return { command, line: insert_line, text: new_str };
    case 'undo_edit':
      return { command };
    case 'create':
      throw refuse('edit does not create files', 'use POST /v2/fs/write');
    case 'view':
      throw refuse('edit does not show files', 'use GET /v2/fs/read');
    default:
      throw refuse(`unknown command: ${command}`, 'use str_replace, insert or undo_edit');
  }
}

export function editedData(
  path: FilePath,
  { output, oldContent, newContent, prevExist, etag }: EditResult,
): z.infer<typeof FileEdited> {
  return {
    ...pathFields(path),
    output,
    old_content: oldContent ?? '',
    new_content: newContent,
    prev_exist: prevExist,
    etag,
  };
}

export function statData(
  path: FilePath,
  { stats, isSymlink, symlinkTarget, user, group, etag }: FileStat,
): z.infer<typeof FileStatus> {
  return {
    ...pathFields(path),
    type: kindOf(stats),
    size: Number(stats.size),
    permissions: permissionsOf(stats),
    is_directory: stats.isDirectory(),
    is_symlink: isSymlink,
    modified_time: stats.mtime.toISOString(),
    mode: modeText(stats.mode),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    user: user ?? null,
    group: group ?? null,
    inode: Number(stats.ino),
    etag,
    mime_type: stats.isDirectory() ? 'inode/directory' : mimeTypeOf(extensionOf(shownPath(nameOf(path)))),
    symlink_target: symlinkTarget === undefined ? null : shownPath(symlinkTarget),
  };
}

/** Accepts files with these extensions, and every directory. */
export function includesTypes(types: readonly string[] | undefined): ((entry: ListEntry) => boolean) | undefined {
  if (types === undefined || types.length === 0) return undefined;
  const wanted = new Set(types.map((type) => type.replace(/^\*?\.?/, '.').toLowerCase()));
  return ({ name, isDirectory }) => isDirectory || wanted.has((extensionOf(shownPath(name)) ?? '').toLowerCase());
}

export function listData(path: FilePath, { entries, cursor, unread }: Listing): z.infer<typeof FileList> {
  const files = entries.map(entryData);
  const directories = files.reduce((count, { is_directory }) => count + Number(is_directory), 0);
  return {
    ...pathFields(path),
    files,
    total_count: files.length,
    file_count: files.length - directories,
    directory_count: directories,
    truncated: cursor !== undefined || unread !== undefined,
    cursor: cursor ?? null,
    ...unreadField(unread),
  };
}

function entryData({ name, path, stats, isDirectory }: ListEntry): z.infer<typeof FileList>['files'][number] {
  const shown = shownPath(name);
  const exact = exactPath(path);
  const entry = {
    name: shown,
    path: shownPath(path),
    is_directory: isDirectory,
    is_symlink: stats.isSymbolicLink(),
    is_hidden: isHidden(shown),
    size: stats.size,
    extension: isDirectory ? null : (extensionOf(shown) ?? null),
    // Node creates `stats.mtime` on first use, which takes longer than the rest of the entry.
    modified_time: new Date(Math.round(stats.mtimeMs)).toISOString(),
    permissions: permissionsOf(stats),
  };
  return exact === undefined ? entry : { ...entry, path_b64: exact };
}

/** Source and destination of a copy or a move. */
export function endsOf({ source, source_b64, destination, destination_b64 }: z.infer<typeof CopyBody>) {
  return {
    from: { path: source, path_b64: source_b64 },
    to: { path: destination, path_b64: destination_b64 },
  };
}

/** A tag without its quotes, which the field may leave out. */
function plainTag(tag: string | undefined): string | undefined {
  return tag?.replaceAll('"', '');
}

/**
 * The precondition of a write from the headers (fails with 412) or the field (409).
 * @throws ValidationFailure if the header If-Match and the field differ
 */
export function preconditionOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  field: string | undefined,
): { ifMatch?: string; ifNoneMatch?: string; failsAs: 'conflict' | 'precondition' } | undefined {
  const [ifMatch, ifNoneMatch] = [headers['if-match'], headers['if-none-match']];
  if (typeof ifMatch === 'string') oneValue({ if_match: plainTag(field), 'the header If-Match': plainTag(ifMatch) });
  if (typeof ifMatch === 'string' || typeof ifNoneMatch === 'string') {
    return {
      ...(typeof ifMatch === 'string' && { ifMatch }),
      ...(typeof ifNoneMatch === 'string' && { ifNoneMatch }),
      failsAs: 'precondition',
    };
  }
  return field === undefined ? undefined : { ifMatch: field, failsAs: 'conflict' };
}

export function uploadedData(path: FilePath, progress: Progress): z.infer<typeof FileUploaded> {
  return {
    ...pathFields(path),
    file_path: shownPath(path),
    file_size: progress.size,
    success: true,
    complete: progress.isComplete,
    sha256: progress.isComplete ? progress.sha256 : null,
    etag: progress.isComplete ? progress.etag : null,
  };
}
