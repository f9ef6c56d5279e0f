import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { badRequest } from '../../../core/files/file-failure.ts';
import { absolutePath, bytesOfPath, type FilePath, type PathInput } from '../../../core/files/file-path.ts';
import type { Upload, Uploaded } from './upload.ts';

/** Directory of an uploaded file if the form has no path. */
const DEFAULT_DIRECTORY = '/tmp';

type Fields = ReadonlyMap<string, string>;

export interface FormPaths {
  /** Beside the form. */
  readonly path: FilePath | undefined;
  /** Reads the path of the form; default: it must be absolute. */
  readonly pathOf: ((input: PathInput) => FilePath) | undefined;
}

interface IncomingFile {
  readonly name: string | undefined;
  readonly content: AsyncIterable<Buffer>;
}

/** Reads a form: passes its file on as it arrives, with the fields before it, and answers all fields. */
export type FormReader = (take: (file: IncomingFile, fields: Fields) => Promise<void>) => Promise<Fields>;

/**
 * Receives the file of a form. Its field `path` may precede or follow the file; without one, and without one beside the form, the
 * file is written to `/tmp` under its own name.
 * @throws SandboxError `unprocessable` if the form names another path than the query
 */
export async function uploadForm(
  upload: Upload,
  read: FormReader,
  { path: given, pathOf = absoluteOf }: Partial<FormPaths> = {},
): Promise<Uploaded & { readonly path: FilePath }> {
  let name: string | undefined;
  const fields = await read(async (file, before) => {
    ({ name } = file);
    await upload.receive(file.content, onlyPath(given, namedIn(before, pathOf)));
  });
  const path = onlyPath(given, namedIn(fields, pathOf)) ?? defaultPath(name);
  return { path, ...(await upload.commit(path)) };
}

function onlyPath(given: FilePath | undefined, named: FilePath | undefined): FilePath | undefined {
  if (given === undefined || named === undefined) return given ?? named;
  if (bytesOfPath(given).equals(bytesOfPath(named))) return given;
  throw new SandboxError('unprocessable', 'differs from the path of the form', {
    field: 'path',
    hint: 'send the path once: as a field of the form or in the query',
  });
}

function namedIn(fields: Fields, pathOf: (input: PathInput) => FilePath): FilePath | undefined {
  const [path, base64] = [fields.get('path'), fields.get('path_b64')];
  return path === undefined && base64 === undefined ? undefined : pathOf({ path, base64 });
}

function absoluteOf(input: PathInput): FilePath {
  return absolutePath(input, 'upload');
}

function defaultPath(name = ''): FilePath {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  if (last !== '' && last !== '.' && last !== '..' && !last.includes('\0')) return `${DEFAULT_DIRECTORY}/${last}`;
  throw badRequest('path is required if the file has no name', 'upload', '');
}
