import type { FilePath } from '../../core/files/file-path.ts';
import type { UnreadCounts } from '../../core/files/walk/unread.ts';

/** A search in the content of files. */
export interface GrepRequest {
  /** A directory or a regular file. */
  readonly path: FilePath;
  readonly pattern: string;
  readonly recursive: boolean;
  /** Globs in the syntax of .gitignore. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly fixedStrings: boolean;
  readonly caseInsensitive: boolean;
  readonly multiline: boolean;
  /** Lines. */
  readonly before: number;
  readonly after: number;
  readonly maxResults: number;
  /** Matches to skip. */
  readonly offset: number;
  /** A file type by ripgrep's name. */
  readonly type: string | undefined;
  /** Bytes; larger files in a directory are skipped. */
  readonly maxFileSize: number | undefined;
}

export interface GrepMatch {
  readonly file: FilePath;
  /** From 1 on. */
  readonly lineNumber: number;
  /** Without its line end; all lines of a match over several lines. */
  readonly line: string;
  /** The first matching text of the line; may be empty in a directory. */
  readonly match: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Why a search ended early. */
export type Stop = 'results' | 'size' | 'time';

export interface GrepResult {
  readonly matches: readonly GrepMatch[];
  /** Null if the search was stopped. */
  readonly filesSearched: number | null;
  readonly stop: Stop | undefined;
  /** What lies in the directory and could not be read. */
  readonly unread: UnreadCounts | undefined;
}

/** A search for names. */
export interface NamesRequest {
  /** A directory. */
  readonly path: FilePath;
  readonly pattern: string;
  /**
   * `ripgrep`: a pattern without a slash matches names at any depth, hidden ones too; only regular files are found.
   * `python`: relative to the directory, only `**` descends, wildcards skip hidden names, and all types are found.
   */
  readonly dialect: 'ripgrep' | 'python';
  readonly exclude: readonly string[];
  /** In the `python` dialect: wildcards match hidden names too. */
  readonly hidden: boolean;
  /** In the `python` dialect: directories are not found. */
  readonly filesOnly?: boolean;
  readonly maxResults: number;
  /** Count the names beyond `maxResults` too. */
  readonly countAll?: boolean;
}

export interface FoundName {
  readonly path: FilePath;
  readonly isDirectory: boolean;
}

export interface NamesResult {
  readonly names: readonly FoundName[];
  /** All names, with `countAll`, as far as the search went. */
  readonly total?: number | undefined;
  readonly stop: Stop | undefined;
  /** What lies in the directory and could not be read. */
  readonly unread: UnreadCounts | undefined;
}
