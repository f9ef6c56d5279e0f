import { ErrorBody, V2_ERRORS, ValidationErrorBody } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { exactPath, type FilePath, shownPath } from '../../core/files/file-path.ts';
import type { ShellPaths } from '../../core/files/shell-paths.ts';
import { Account } from '../fields.ts';

/** A path as text; the file need not exist. `core/files` checks the text and answers 400. */
const PathText = z.string().meta({
  description: 'Absolute, or as in a shell: `~`, `~user`, or relative to the home of the account.',
  pattern: '^[^\\u0000]+$',
  examples: ['/tmp/example/hello.txt'],
});

const PathBase64 = z
  .string()
  .regex(/^[A-Za-z0-9+/_-]+={0,2}$/, 'expected base64')
  .meta({ description: 'The bytes of the absolute path in base64, if it is not UTF-8.' });

/** Fields of a request that names one path: `{path}`, or `{path_b64}` if it is not UTF-8. */
export const PathFields = { path: PathText.optional(), path_b64: PathBase64.optional() } as const;

/** The same of a directory. */
export const DirectoryFields = {
  ...PathFields,
  path: PathText.meta({ examples: ['/tmp/example'] }).optional(),
} as const;

/** Marks a path that a request may leave out, for the document: by their fields alone all paths look so. */
export const MAY_BE_ABSENT = 'x-may-be-absent';

/** The same of a directory that has a default. */
export const OptionalDirectoryFields = {
  ...DirectoryFields,
  path: DirectoryFields.path.meta({ examples: ['/tmp/example'], [MAY_BE_ABSENT]: true }),
} as const;

/** Requests to copy and to move. */
export const SourceFields = {
  source: PathText.optional(),
  source_b64: PathBase64.optional(),
  destination: PathText.optional(),
  destination_b64: PathBase64.optional(),
} as const;

/** Query field: owner of created files. */
export const UserField = {
  user: Account.optional().meta({ description: 'Owner of created files.' }),
} as const;

type Fields = Readonly<Record<string, unknown>>;

/** Checks that `name` or its base64 is present: a missing path is a validation error. */
export function requirePath(name: string, base64 = `${name}_b64`): (context: z.core.ParsePayload<Fields>) => void {
  return ({ value, issues }) => {
    if (value[name] !== undefined || value[base64] !== undefined) return;
    const message = `${name} or ${base64} is required`;
    issues.push({ code: 'custom', message, path: [name], input: value[name] });
  };
}

/** The path of a request to `/v2`. @throws FileFailure `invalid_path`, SandboxError `invalid` for an unknown account */
export function shellPathOf(
  paths: ShellPaths,
  { path, path_b64 }: { path?: string | undefined; path_b64?: string | undefined },
  operation: string,
  { user }: { readonly user?: string | undefined } = {},
): FilePath {
  return paths.of({ path, base64: path_b64 }, operation, { user });
}

/** Path fields of an answer; `path_b64` only if the path is not UTF-8. */
export function pathFields(path: FilePath): { path: string; path_b64?: string } {
  const exact = exactPath(path);
  return exact === undefined ? { path: shownPath(path) } : { path: shownPath(path), path_b64: exact };
}

/** Fields of an answer that names one path. */
export const NamedPath = {
  path: z.string(),
  path_b64: z.string().optional().meta({ description: 'Only if the path is not UTF-8: its bytes in base64.' }),
} as const;

/** Error answers of a v2 route that works on files. */
export const FILE_ERRORS = {
  ...V2_ERRORS,
  409: ErrorBody,
  412: ErrorBody,
  413: ErrorBody,
  422: z.union([ValidationErrorBody, ErrorBody]),
  500: ErrorBody,
  507: ErrorBody,
} as const;
