import type { BigIntStats, Stats } from 'node:fs';
import type { FilePath } from '../files/file-path.ts';
import type { Caller } from '../files/ownership.ts';
import { definePort } from './port.ts';

interface ListedEntry {
  readonly name: FilePath;
  readonly path: FilePath;
  /** Of the entry itself, not of the target of a link. */
  readonly stats: Stats;
}

interface ListTerms {
  readonly path: FilePath;
  readonly recursive: boolean;
  readonly maxDepth: number;
  readonly showHidden: boolean;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A regular file held open for sending. */
interface FileDownload extends Disposable {
  readonly size: number;
  readonly name: string;
  readonly etag: string;
  readonly modified: Date;
  read(start: number, end: number): Promise<AsyncIterable<Buffer> | Iterable<Buffer>>;
}

/** Files, as adapters outside their capability use them. Errors: FileFailure. */
export interface FilesPort {
  /** @throws SandboxError `invalid` if the caller names an account that does not exist */
  requireCaller(caller: Caller): void;
  stat(
    path: FilePath,
    followSymlinks: boolean,
  ): Promise<{
    readonly stats: BigIntStats;
    readonly isSymlink: boolean;
    readonly symlinkTarget: FilePath | undefined;
    readonly user: string | undefined;
    readonly group: string | undefined;
  }>;
  list(terms: ListTerms): Promise<{ readonly entries: readonly ListedEntry[]; readonly cursor: string | undefined }>;
  /** With `parents`, missing parents are created too. */
  mkdir(path: FilePath, parents: boolean, caller: Caller): Promise<void>;
  move(
    source: FilePath,
    destination: FilePath,
    terms: { readonly overwrite: boolean; readonly gone: AbortSignal },
    caller: Caller,
  ): Promise<void>;
  delete(path: FilePath, recursive: boolean): Promise<void>;
  /** Removes what lies in a directory, and keeps the directory. */
  clear(path: FilePath): Promise<void>;
  /**
   * Receives a file; an upload that is cut off leaves the old file as it was.
   * @param terms `attributes`: extended attributes of the new file; it takes none of the file that it replaces
   */
  uploadWhole(
    path: FilePath,
    source: AsyncIterable<Buffer>,
    caller: Caller,
    terms?: {
      readonly mode?: number;
      readonly sync?: boolean;
      readonly attributes?: ReadonlyMap<string, Buffer>;
    },
  ): Promise<{ readonly size: number }>;
  /** A directory as a tar archive; an excluded pattern with a slash begins at the directory. */
  exportTree(
    path: FilePath,
    terms: { readonly exclude: readonly string[]; readonly gzip: boolean },
  ): Promise<AsyncGenerator<Buffer>>;
  /**
   * Extracts a tar archive into a directory: all of it or, if a part is refused, nothing.
   * @param terms `length`: bytes of the archive; 0 if unknown
   */
  importTree(
    path: FilePath,
    source: AsyncIterable<Buffer>,
    terms: { readonly keepOwners: boolean; readonly length: number },
    caller: Caller,
  ): Promise<{ readonly entries: number }>;
  /** Opens a file to send; the caller disposes it. */
  download(path: FilePath, policy: 'abort'): Promise<FileDownload>;
}

export const FILES = definePort<FilesPort>('files');
