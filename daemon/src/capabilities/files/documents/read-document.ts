import type { Worker } from 'node:worker_threads';
import { Slots, waitFor } from '@sandbox/api/wait.ts';
import { badRequest, overCap } from '../../../core/files/file-failure.ts';
import { type FilePath, nameOf, shownPath } from '../../../core/files/file-path.ts';
import { OpenFile } from '../read/open-file.ts';
import type { DocumentKind, DocumentMessage, DocumentPart, DocumentText } from './document-task.ts';

/** Bytes of a document. */
const DOCUMENT_BYTES = 64 * 1024 ** 2;
/** Bytes of the buffers of a thread; it is looked at every `LOOK_MS` milliseconds. */
const BUFFER_BYTES = 256 * 1024 ** 2;
const LOOK_MS = 50;
/** Milliseconds that one document may take. */
export const READ_MS = 30_000;
/** Documents that are read at once; others wait for their turn. */
const AT_ONCE = 2;
const OFFICE: Readonly<Record<string, DocumentKind>> = {
  xlsx: 'excel',
  xlsm: 'excel',
  pptx: 'slides',
  pptm: 'slides',
  ppsx: 'slides',
};
const ZIP = 'PK\x03\x04';
const PDF = '%PDF-';

const slots = new Slots(AT_ONCE);

/** The kind of a document by its first bytes, and by its name if those are of an archive; undefined: no document. */
export async function documentKindOf(path: FilePath): Promise<DocumentKind | undefined> {
  using file = await OpenFile.open(path, 'view');
  const head = (await file.read(0, PDF.length)).toString('latin1');
  if (head === PDF) return 'pdf';
  const name = shownPath(nameOf(path));
  return head.startsWith(ZIP) ? OFFICE[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] : undefined;
}

/**
 * The text of a part of a document, read in a thread with bounds of time and memory.
 * @throws FileFailure `too_large` beyond a bound, `bad_request` if the document or the part is not valid
 */
export async function readDocument(
  path: FilePath,
  kind: DocumentKind,
  part: DocumentPart,
  gone: AbortSignal,
  { readMs = READ_MS }: { readonly readMs?: number } = {},
): Promise<DocumentText> {
  const shown = shownPath(path);
  using _slot = await slots.take(gone);
  using file = await OpenFile.open(path, 'view');
  const bytes = await file.readWhole(DOCUMENT_BYTES);
  if (bytes === undefined) throw overCap(`the document is over ${DOCUMENT_BYTES} bytes: ${shown}`, 'view', shown);
  const { startReading } = await import('./document-worker.ts');
  const worker = startReading({ kind, bytes: new Uint8Array(bytes), ...part });
  try {
    const message = await answerOf(worker, readMs, gone);
    if (message === 'bound') throw overCap(`the document takes too much time or memory: ${shown}`, 'view', shown, HINT);
    if (message.kind === 'refused')
      throw badRequest(`the document cannot be viewed: ${message.reason}: ${shown}`, 'view', shown);
    return message.document;
  } finally {
    await worker.terminate();
  }
}

const HINT = 'view a part of it with page_range, slide_range, sheet_name or row_range, or download it';

/** The answer of the thread; `bound` if it reaches a bound of time or memory, or the signal fires. */
async function answerOf(worker: Worker, readMs: number, gone: AbortSignal): Promise<DocumentMessage | 'bound'> {
  const { promise, resolve } = Promise.withResolvers<DocumentMessage | 'bound'>();
  worker.once('message', resolve);
  // ERR_WORKER_OUT_OF_MEMORY, or an exception that the thread did not catch.
  worker.once('error', () => resolve('bound'));
  worker.once('exit', () => resolve('bound'));
  const watch = setInterval(() => {
    worker.getHeapStatistics().then(
      ({ external_memory }) => {
        if (external_memory > BUFFER_BYTES) resolve('bound');
      },
      // The thread has ended, which settles the answer.
      () => undefined,
    );
  }, LOOK_MS);
  try {
    return (await waitFor(promise, { ms: readMs, signal: gone })) === 'settled' ? await promise : 'bound';
  } finally {
    clearInterval(watch);
  }
}
