import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type { App } from '@sandbox/api/http/app-types.ts';
import { ValidationFailure } from '@sandbox/api/http/validation.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';

/** Fields beside the file, and bytes of each. */
const FIELDS_MAX = 64;
const FIELD_BYTES = 64 * 1024;
/**
 * Bytes that the parser holds: one read of a socket, so that its buffer reaches the reader of the file as it is. A
 * stream that holds several joins them, and the garbage collector then frees what it no longer needs too late.
 */
export const READ_BYTES = 64 * 1024;
/** What the parser writes for bytes that are not UTF-8. */
const REPLACED = '\ufffd';

/** The file of a form while it is received. */
interface FormFile {
  /** As the client calls it; it may be missing. */
  readonly name: string | undefined;
  readonly content: Readable;
}

export type FormFields = ReadonlyMap<string, string>;

interface FormReaders {
  /** Gets the file while it is received, with the fields before it. */
  readonly take: (file: FormFile, fields: FormFields) => Promise<void>;
  /** Checks each part by its name, and whether one before it had that name and another value. */
  readonly check?: (name: string, isContradicted: boolean) => void;
}

/** Within this scope a `multipart/form-data` body reaches the handler as a stream, unread and without a limit. */
export function acceptForms(scope: App): void {
  scope.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload));
}

/**
 * Reads a form with one part named `file` (RFC 7578). Whatever goes wrong, the content that `take` reads ends with an error.
 * @returns all fields
 * @throws ValidationFailure without a file; SandboxError `invalid` if there are two, or the body is cut; what `check` throws
 */
export async function readForm(body: unknown, headers: IncomingHttpHeaders, readers: FormReaders): Promise<FormFields> {
  const contentType = headers['content-type'];
  if (!(body instanceof Readable) || contentType === undefined) throw missingFile();
  const form = new Form(open({ ...headers, 'content-type': contentType }), readers);
  return await form.read(body);
}

class Form {
  readonly #parser: BusboyInstance;
  readonly #fields = new Map<string, string>();
  #content: BusboyFileStream | undefined;
  #taken: Promise<void> | undefined;
  readonly #end = Promise.withResolvers<void>();

  constructor(parser: BusboyInstance, { take, check = ignore }: FormReaders) {
    this.#parser = parser;
    parser.on('field', (encoded, value) => {
      const name = decodeName(encoded);
      if (`${name}${value}`.includes(REPLACED)) this.#end.reject(notExact(`the field ${name}`));
      this.#check(() => check(name, this.#fields.get(name) !== undefined && this.#fields.get(name) !== value));
      this.#fields.set(name, value);
    });
    parser.on('file', (name, content, filename) => {
      this.#check(() => check(decodeName(name), false));
      this.#take(name, content, filename, take);
    });
    parser.once('finish', () => this.#end.resolve());
    parser.once('error', (error) => this.#end.reject(cutForm(error)));
    parser.once('fieldsLimit', () => this.#end.reject(new SandboxError('invalid', `over ${FIELDS_MAX} fields`)));
  }

  #check(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#end.reject(error);
    }
  }

  async read(body: Readable): Promise<FormFields> {
    body.once('error', (error) => this.#end.reject(cutForm(error)));
    body.once('close', () => {
      if (!body.readableEnded) this.#end.reject(cutForm(new Error('the connection was closed')));
    });
    body.pipe(this.#parser);
    try {
      await this.#end.promise;
      if (!this.#content) throw missingFile();
      await this.#taken;
      return this.#fields;
    } catch (error) {
      body.unpipe(this.#parser);
      body.resume();
      this.#content?.destroy(error instanceof Error ? error : undefined);
      await this.#taken?.catch(() => undefined);
      throw error;
    }
  }

  #take(
    name: string,
    content: BusboyFileStream,
    filename: string | undefined,
    take: (file: FormFile, fields: FormFields) => Promise<void>,
  ): void {
    content.on('error', () => undefined);
    if (name !== 'file' || this.#content) {
      content.resume();
      if (name !== 'file') return;
      this.#end.reject(new SandboxError('invalid', 'the form has more than one file', { hint: 'send one at a time' }));
      return;
    }
    if (filename?.includes(REPLACED)) {
      content.resume();
      this.#end.reject(notExact('the name of the file'));
      return;
    }
    this.#content = content;
    this.#taken = take({ name: filename ? decodeName(filename) : undefined, content }, this.#fields);
    this.#taken.catch((error: unknown) => this.#end.reject(error));
  }
}

const ENCODED: Readonly<Record<string, string>> = { '%22': '"', '%0A': '\n', '%0D': '\r' };

/**
 * The name of a field or a file: browsers and curl encode these three characters, and nothing else (HTML Living
 * Standard, "multipart/form-data encoding algorithm").
 */
export function decodeName(encoded: string): string {
  return encoded.replace(/%22|%0A|%0D/g, (code) => ENCODED[code] ?? code);
}

function open(headers: IncomingHttpHeaders & { 'content-type': string }): BusboyInstance {
  try {
    return new Busboy({
      headers,
      highWaterMark: READ_BYTES,
      fileHwm: READ_BYTES,
      limits: { fields: FIELDS_MAX, fieldSize: FIELD_BYTES },
      isPartAFile: (field, _type, filename) => field === 'file' || filename !== undefined,
    });
  } catch (error) {
    throw new SandboxError('invalid', `the body is not multipart/form-data: ${String(error)}`, { cause: error });
  }
}

function notExact(what: string): SandboxError {
  return new SandboxError('invalid', `${what} is not UTF-8, or has the character U+FFFD`);
}

function cutForm(cause: unknown): SandboxError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SandboxError('invalid', `the form is not whole: ${why}`, { cause });
}

function missingFile(): ValidationFailure {
  const message = 'expected a form with a part named file';
  return new ValidationFailure('body', [{ code: 'custom', message, path: ['file'], input: undefined }]);
}
