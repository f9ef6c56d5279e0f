import type { z } from 'zod';
import { comparePaths, type FilePath, shownPath } from '../../../core/files/file-path.ts';
import { pathFields } from '../../../http/files/file-fields.ts';
import { unreadField } from '../../../http/files/unread-fields.ts';
import { extensionOf } from '../names.ts';
import { permissionsOf } from '../read/kinds.ts';
import type { ListEntry, Listing } from '../read/list.ts';
import type { LineRange } from '../read/read.ts';
import type { ListBody, ListResult, WriteBodyV1 } from './schemas.ts';

type ListTerms = z.infer<typeof ListBody>;

/** Newlines are added to text, not to bytes. */
export function newlinesOf(body: z.infer<typeof WriteBodyV1>): z.infer<typeof WriteBodyV1> {
  return body.encoding === 'base64' ? { ...body, leading_newline: false, trailing_newline: false } : body;
}

/** Lines of a range of a file with so many lines. */
export function linesWithin(
  { startLine = 0, endLine = Number.POSITIVE_INFINITY }: LineRange,
  lineCount: number,
): number {
  return Math.max(0, Math.min(endLine, lineCount) - Math.max(0, startLine));
}

export function listDataV1(
  path: FilePath,
  { entries, cursor, unread }: Listing,
  { include_size, include_permissions, sort_by, sort_desc }: ListTerms,
): z.infer<typeof ListResult> {
  const sorted = sortEntries(entries, sort_by, sort_desc);
  const files = sorted.map((entry) => entryDataV1(entry, include_size, include_permissions));
  const directories = files.filter(({ is_directory }) => is_directory).length;
  return {
    path: shownPath(path),
    files,
    total_count: files.length,
    directory_count: directories,
    file_count: files.length - directories,
    truncated: cursor !== undefined || unread !== undefined,
    ...unreadField(unread),
  };
}

/** An unknown order sorts by name, as in 1.x. */
function sortEntries(entries: readonly ListEntry[], by: string, descending: boolean): ListEntry[] {
  const byName = (a: ListEntry, b: ListEntry): number => comparePaths(a.path, b.path);
  const orders: Readonly<Record<string, (a: ListEntry, b: ListEntry) => number>> = {
    size: (a, b) => a.stats.size - b.stats.size,
    modified: (a, b) => a.stats.mtimeMs - b.stats.mtimeMs,
    modified_time: (a, b) => a.stats.mtimeMs - b.stats.mtimeMs,
    type: (a, b) => comparePaths(typeOf(a), typeOf(b)),
  };
  const order = orders[by] ?? byName;
  const sorted = [...entries].sort((a, b) => order(a, b) || byName(a, b));
  return descending ? sorted.reverse() : sorted;
}

function typeOf({ name, isDirectory }: ListEntry): string {
  return isDirectory ? '' : (extensionOf(shownPath(name)) ?? '');
}

function entryDataV1({ name, path, stats, isDirectory }: ListEntry, size: boolean, permissions: boolean) {
  const shown = shownPath(name);
  return {
    name: shown,
    ...pathFields(path),
    is_directory: isDirectory,
    size: size ? stats.size : null,
    modified_time: stats.mtime.toISOString(),
    permissions: permissions ? permissionsOf(stats) : null,
    extension: isDirectory ? null : (extensionOf(shown) ?? null),
  };
}
