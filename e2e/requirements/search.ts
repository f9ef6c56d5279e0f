import { type Requirement, section } from './requirement.ts';

export const SEARCH: readonly Requirement[] = [
  ...section('docs/contract.md §3', {
    'search.names': 'GET /v2/fs/search finds files by glob and says with truncated that there are more',
    'search.cap': 'a search for names answers at most 10,000',
    'search.same-answers': 'with ripgrep and without it the answers are the same',
    'search.bounded': 'a search is bounded in time, for any pattern, and in the size of its answer',
    'search.cancelled': 'a search ends when its caller goes away',
    'grep.answer': 'grep answers matches, match_count, files_searched, files_matched and truncated',
    'grep.matches': 'a match has file, line_number from 1 and line_content',
    'grep.context': 'context_before and context_after are the lines around',
    'grep.limit': 'the answer is sent as soon as max_results is reached',
    'grep.offset': 'offset pages through the matches',
    'grep.options':
      'include, exclude, type, recursive, max_file_size, fixed_strings, case_insensitive and multiline do as they say',
    'grep.defaults': 'without a word of it there are 500 matches of files of up to 1M',
    'grep.bounds': 'values out of their bounds, invalid patterns and paths that cannot be searched are refused',
    'grep.look-around': 'look-around and back-references work where ripgrep has PCRE2, else 400 says so',
    'find.python-glob': "find takes Python's glob relative to path: only ** descends",
    'search-v1.own-shape': 'POST /v1/file/search answers matches of line_number, line and match, and line_numbers',
    'search-v1.sdk-shape': 'with X-Fern-Language or from Go it answers lists of strings and of numbers from 0',
  }),
  ...section('docs/openapi/1.x-wire.json', {
    'find-v1.result': 'POST /v1/file/find answers FileFindResult, or FileOperationError with 200',
    'glob-v1.result': 'POST /v1/file/glob answers FileGlobResult',
    'grep-v1.result': 'POST /v1/file/grep answers FileGrepResult',
  }),
];
