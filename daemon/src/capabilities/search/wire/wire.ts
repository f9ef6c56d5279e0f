import type { z } from 'zod';
import { exactPath, type FilePath, shownPath } from '../../../core/files/file-path.ts';
import { unreadReason } from '../../../core/files/walk/unread.ts';
import { pathFields } from '../../../http/files/file-fields.ts';
import { unreadField } from '../../../http/files/unread-fields.ts';
import type { GrepRequest, GrepResult, NamesResult } from '../requests.ts';
import type { GrepAnswer, GrepBody, SearchAnswer } from './schemas.ts';

export function grepRequest(path: FilePath, body: z.infer<typeof GrepBody>): GrepRequest {
  return {
    path,
    pattern: body.pattern,
    recursive: body.recursive,
    include: body.include,
    exclude: body.exclude,
    fixedStrings: body.fixed_strings,
    caseInsensitive: body.case_insensitive,
    multiline: body.multiline,
    before: body.context_before,
    after: body.context_after,
    maxResults: body.max_results,
    offset: body.offset,
    type: body.type,
    maxFileSize: body.max_file_size,
  };
}

export function grepAnswer(
  { path, pattern }: GrepRequest,
  { matches, filesSearched, stop, unread }: GrepResult,
): z.infer<typeof GrepAnswer> {
  return {
    ...pathFields(path),
    pattern,
    matches: matches.map(({ file, lineNumber, line, before, after }) => {
      const exact = exactPath(file);
      return {
        file: shownPath(file),
        ...(exact !== undefined && { file_b64: exact }),
        line_number: lineNumber,
        line_content: line,
        context_before: [...before],
        context_after: [...after],
      };
    }),
    match_count: matches.length,
    files_searched: filesSearched,
    files_matched: new Set(matches.map(({ file }) => (typeof file === 'string' ? file : file.toString('latin1')))).size,
    truncated: isTruncated({ stop, unread }),
    ...unreadField(unread),
  };
}

export function searchAnswer({ names, stop, unread }: NamesResult): z.infer<typeof SearchAnswer> {
  const odd = names.flatMap(({ path }) => {
    const exact = exactPath(path);
    return exact === undefined ? [] : [{ path: shownPath(path), path_b64: exact }];
  });
  const files = names.map(({ path }) => shownPath(path));
  const truncated = isTruncated({ stop, unread });
  return { files, truncated, ...unreadField(unread), ...(odd.length > 0 && { not_utf8: odd }) };
}

type Ending = Pick<GrepResult, 'stop' | 'unread'>;

/** Whether a result may be incomplete. */
export function isTruncated({ stop, unread }: Ending): boolean {
  return stop !== undefined || unread !== undefined;
}

/** Why a result is incomplete, and what helps. */
export function hintOf({ stop, unread }: Ending): string | null {
  const hints = [
    ...(stop === 'time' ? ['the time for one search ran out: narrow the path, the globs or the pattern'] : []),
    ...(stop === 'size' ? ['one answer carries 8 MiB: go on with offset'] : []),
    unreadReason(unread),
  ].filter((hint) => hint !== undefined);
  return hints.length === 0 ? null : hints.join('; ');
}
