import type { FilePath } from '../../core/files/file-path.ts';

/** What is looked for in the content of files. */
export interface GrepRequest {
  /** A directory or a regular file. */
  readonly path: FilePath;
  readonly pattern: string;
  readonly recursive: boolean;
  /** Globs in the manner of .gitignore. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly fixedStrings: boolean;
  readonly caseInsensitive: boolean;
  readonly multiline: boolean;
  /** Lines. */
  readonly before: number;
  readonly after: number;
  readonly maxResults: number;
  /** Matches that are passed over. */
  readonly offset: number;
  /** A file type by ripgrep's name. */
  readonly type: string | undefined;
  /** Bytes; larger files in a directory are passed over. */
  readonly maxFileSize: number | undefined;
}

export interface GrepMatch {
  readonly file: FilePath;
  /** From 1 on. */
  readonly lineNumber: number;
  /** Without its end; of a match over several lines, all of them. */
  readonly line: string;
  /** The first that matches in it; of searches in a directory it may be empty. */
  readonly match: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Why a search ended before it had seen everything. */
export type Stop = 'results' | 'size' | 'time';

export interface GrepResult {
  readonly matches: readonly GrepMatch[];
  /** Null where the search was stopped. */
  readonly filesSearched: number | null;
  readonly stop: Stop | undefined;
}

/** What is looked for among names. */
export interface NamesRequest {
  /** A directory. */
  readonly path: FilePath;
  readonly pattern: string;
  /**
   * `ripgrep`: a pattern without a slash fits names anywhere, hidden ones too, and regular files alone are found.
   * `python`: relative to the directory, only `**` descends, wildcards leave hidden names alone, and everything is found.
   */
  readonly dialect: 'ripgrep' | 'python';
  readonly exclude: readonly string[];
  /** In the `python` dialect: wildcards reach hidden names too. */
  readonly hidden: boolean;
  /** In the `python` dialect: directories are not found. */
  readonly filesOnly?: boolean;
  readonly maxResults: number;
}

export interface FoundName {
  readonly path: FilePath;
  readonly isDirectory: boolean;
}

export interface NamesResult {
  readonly names: readonly FoundName[];
  readonly stop: Stop | undefined;
}
