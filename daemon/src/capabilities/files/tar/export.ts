import { statSync } from 'node:fs';
import { asFileFailure, systemFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../../core/files/file-path.ts';
import { excluder } from './glob.ts';
import { gzipped } from './gzip.ts';
import { packDirectory } from './pack.ts';

export interface ExportTerms {
  readonly exclude: readonly string[];
  readonly gzip: boolean;
}

/**
 * A directory as a stream of bytes, of which a piece is good until the one after the next is asked for. Its first ones are there when this resolves, so that what fails at once can still be
 * told in the head of an answer; what fails later ends the bytes with an error.
 */
export async function exportTree(path: FilePath, { exclude, gzip }: ExportTerms): Promise<AsyncGenerator<Buffer>> {
  if (!statSync(path).isDirectory()) throw systemFailure('ENOTDIR', 'export', shownPath(path));
  const packed = named(packDirectory(path, exclude.length === 0 ? undefined : excluder(exclude), !gzip), path);
  const pieces = gzip ? gzipped(packed) : packed;
  return withFirst(await pieces.next(), pieces);
}

async function* named(source: AsyncIterable<Buffer>, path: FilePath): AsyncGenerator<Buffer> {
  try {
    yield* source;
  } catch (error) {
    throw asFileFailure(error, 'export', shownPath(path));
  }
}

async function* withFirst(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
