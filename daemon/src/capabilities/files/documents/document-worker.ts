import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { DocumentFault, type DocumentMessage, type DocumentTask, type DocumentText } from './document-task.ts';

const TASK = 'document';
/** Objects of the thread; the bytes of its buffers come on top. */
const HEAP_MB = 256;
/** Characters of a document in one answer. */
const TEXT_MAX = 8 * 1024 ** 2;

/** Reads a document in a thread of its own, which can be ended whatever its parser is busy with. */
export function startReading(task: DocumentTask): Worker {
  return new Worker(new URL(import.meta.url), {
    workerData: { [TASK]: task },
    env: {},
    stdin: false,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 32 },
  });
}

/** Each library is loaded with the first document of its kind. */
async function read(task: DocumentTask): Promise<DocumentText> {
  if (task.kind === 'pdf') return (await import('./pdf-text.ts')).pdfText(task);
  if (task.kind === 'excel') return (await import('./excel-text.ts')).excelText(task);
  return (await import('./slides-text.ts')).slidesText(task);
}

function requireShort(document: DocumentText): DocumentText {
  const length = document.sections.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= TEXT_MAX) return document;
  throw new DocumentFault(`its text is over ${TEXT_MAX} characters, so view a part of it`);
}

async function serve(port: MessagePort, task: DocumentTask): Promise<void> {
  const say = (message: DocumentMessage): void => port.postMessage(message);
  try {
    say({ kind: 'done', document: requireShort(await read(task)) });
  } catch (error) {
    say({ kind: 'refused', reason: reasonOf(error).slice(0, 500) });
  }
}

/** A type or range error is how a parser meets a document that it does not expect: its text helps no reader. */
function reasonOf(error: unknown): string {
  if (error instanceof DocumentFault) return error.message;
  const isFromParser = /TypeError|RangeError|Maximum call stack/.test(String(error));
  return isFromParser ? 'it is damaged, or nested too deeply' : `it cannot be read: ${error}`;
}

// This module is its own worker: its bundle is one file, wherever that lies.
if (!isMainThread && parentPort !== null && workerData?.[TASK] !== undefined) {
  void serve(parentPort, workerData[TASK]);
}
