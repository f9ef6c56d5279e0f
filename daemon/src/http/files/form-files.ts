import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { decodeName, READ_BYTES } from './multipart.ts';

interface NamedContent {
  /** The name of its part. */
  readonly field: string;
  /** As the client calls it, with its directories; it may be missing. */
  readonly name: string | undefined;
  readonly content: Readable;
}

/**
 * Reads the files of a form (RFC 7578) one after another. Whatever goes wrong, the content that `take` reads ends with
 * an error.
 * @param terms `field`: called with each field that is not a file, of at most 64 KiB
 * @throws SandboxError `invalid` if the body is not a form with a file, is cut, or has too many files; and what `take`
 *   throws
 */
export async function readFormFiles(
  body: Readable,
  headers: IncomingHttpHeaders,
  { filesMax, field: takeField }: { readonly filesMax: number; readonly field?: (name: string, value: string) => void },
  take: (file: NamedContent) => Promise<void>,
): Promise<void> {
  const parser = parserOf(headers, filesMax);
  const { promise: parsed, resolve, reject } = Promise.withResolvers<void>();
  let turn: Promise<void> = Promise.resolve();
  let files = 0;
  if (takeField) parser.on('field', (name, value) => takeField(name, value));
  const unread = new Set<BusboyFileStream>();
  const cut = (error: unknown): void => reject(notWhole(error));
  parser.on('file', (field, content, filename) => {
    files += 1;
    unread.add(content);
    content.on('error', cut).once('close', () => unread.delete(content));
    const name = filename === undefined || filename === '' ? undefined : decodeName(filename);
    turn = turn.then(() => take({ field, name, content }));
    turn.catch(reject);
  });
  parser.once('filesLimit', () => reject(new SandboxError('invalid', `the form has over ${filesMax} files`)));
  parser.once('finish', resolve).once('error', cut);
  body.once('error', cut);
  body.once('close', () => {
    if (!body.readableEnded) cut(new Error('the connection was closed'));
  });
  body.pipe(parser);
  try {
    await parsed;
    await turn;
  } catch (error) {
    body.unpipe(parser);
    body.resume();
    for (const content of unread) content.destroy(error instanceof Error ? error : undefined);
    await turn.catch(() => undefined);
    throw error;
  }
  if (files === 0) throw new SandboxError('invalid', 'the form has no file');
}

function parserOf(headers: IncomingHttpHeaders, files: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      preservePath: true,
      highWaterMark: READ_BYTES,
      fileHwm: READ_BYTES,
      limits: { fields: 64, fieldSize: 64 * 1024, files },
      isPartAFile: (field, _type, filename) => field === 'file' || filename !== undefined,
    });
  } catch (error) {
    throw new SandboxError('invalid', `the body is not multipart/form-data: ${String(error)}`, { cause: error });
  }
}

function notWhole(cause: unknown): SandboxError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SandboxError('invalid', `the form is not whole: ${why}`, { cause });
}
