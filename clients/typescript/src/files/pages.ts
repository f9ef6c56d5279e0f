import { notOfSandbox } from '../core/shape.ts';
import type { QueryValue, Transport } from '../core/transport.ts';
import type { FileList } from '../wire.ts';

/** Pages without an entry in sequence; hidden names may fill some of them. */
const MOST_EMPTY = 1000;

/** The pages of a list of files, one request each. */
export async function* pagesOf(
  transport: Transport,
  query: Readonly<Record<string, QueryValue>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<FileList['files']> {
  let cursor: string | undefined;
  for (let empty = 0; ; ) {
    const page = await transport.data('/v2/fs/list', 'FileList', { query: { ...query, cursor }, signal });
    if (page.cursor !== null && page.cursor === cursor) throw notOfSandbox('the next page is the same page');
    empty = page.files.length === 0 ? empty + 1 : 0;
    if (empty > MOST_EMPTY) throw notOfSandbox(`${MOST_EMPTY} pages of files are empty`);
    yield page.files;
    if (page.cursor === null) return;
    cursor = page.cursor;
  }
}
