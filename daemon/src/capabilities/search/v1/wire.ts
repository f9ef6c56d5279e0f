import type { z } from 'zod';
import { comparePaths, type FilePath, nameOf, shownPath } from '../../../core/files/file-path.ts';
import { pathFields } from '../../../http/files/file-fields.ts';
import type { GrepMatch, GrepRequest, NamesRequest } from '../requests.ts';
import type { FileFacts } from '../search-service.ts';
import type { GlobBodyV1, GlobResultV1, SearchResultV1 } from './schemas.ts';

/** Most lines in one answer of 1.x. */
const LINES_MAX = 10_000;

/** With `multiline` of 1.x the dot also matches a newline. */
export function withDotAll(request: GrepRequest): GrepRequest {
  return request.multiline && !request.fixedStrings ? { ...request, pattern: `(?s)${request.pattern}` } : request;
}

export function fileSearch(path: FilePath, pattern: string): GrepRequest {
  return {
    path,
    pattern,
    recursive: false,
    include: [],
    exclude: [],
    fixedStrings: false,
    caseInsensitive: false,
    multiline: false,
    before: 0,
    after: 0,
    maxResults: LINES_MAX,
    offset: 0,
    type: undefined,
    maxFileSize: undefined,
  };
}

/** @param forSdk in the layout that the generated SDKs parse */
export function fileSearchResult(
  path: FilePath,
  matches: readonly GrepMatch[],
  forSdk: boolean,
): z.infer<typeof SearchResultV1> {
  const file = shownPath(path);
  if (forSdk) {
    return {
      file,
      matches: matches.map(({ line }) => line),
      line_numbers: matches.map(({ lineNumber }) => lineNumber - 1),
    };
  }
  return {
    file,
    matches: matches.map(({ lineNumber, line, match }) => ({ line_number: lineNumber, line, match })),
    line_numbers: matches.map(({ lineNumber }) => lineNumber),
  };
}

/** Names that are sorted before the answer is cut; the first by path where there are more. */
const SORTED_MAX = 100_000;

export function globRequest(
  path: FilePath,
  { pattern, exclude, include_hidden: hidden, files_only: filesOnly }: z.infer<typeof GlobBodyV1>,
): NamesRequest {
  return { path, pattern, dialect: 'python', exclude, hidden, filesOnly, maxResults: SORTED_MAX, countAll: true };
}

/** Sorts by the requested order, by path for an unknown one, and cuts. */
export function globFiles(
  facts: readonly FileFacts[],
  { sort_by, sort_desc, include_metadata, max_results }: z.infer<typeof GlobBodyV1>,
): z.infer<typeof GlobResultV1>['files'] {
  const byPath = (a: FileFacts, b: FileFacts): number => comparePaths(a.path, b.path);
  const byTime = (a: FileFacts, b: FileFacts): number => Number(a.modifiedAt ?? 0) - Number(b.modifiedAt ?? 0);
  const orders: Readonly<Record<string, (a: FileFacts, b: FileFacts) => number>> = {
    name: (a, b) => comparePaths(nameOf(a.path), nameOf(b.path)),
    size: (a, b) => (a.size ?? 0) - (b.size ?? 0),
    modified: byTime,
    modified_time: byTime,
    mtime: byTime,
  };
  const order = (Object.hasOwn(orders, sort_by) ? orders[sort_by] : undefined) ?? byPath;
  const sorted = [...facts].sort((a, b) => order(a, b) || byPath(a, b));
  if (sort_desc) sorted.reverse();
  return sorted.slice(0, max_results).map(({ path, isDirectory, size, modifiedAt }) => ({
    ...pathFields(path),
    name: shownPath(nameOf(path)),
    is_directory: isDirectory,
    size: include_metadata ? size : null,
    modified_time: include_metadata ? (modifiedAt?.toISOString() ?? null) : null,
  }));
}
