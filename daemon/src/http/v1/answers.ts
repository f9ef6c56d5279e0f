import { V2_ERRORS, ValidationErrorBody } from '@sandbox/api/http/envelope.ts';
import { z } from 'zod';
import { absolutePath, type FilePath } from '../../core/files/file-path.ts';
import { PathFields } from '../files/file-fields.ts';

const Detail = z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() });

const ValidationErrorBodyV1 = ValidationErrorBody.extend({ detail: z.array(Detail) }).meta({
  id: 'ValidationErrorBodyV1',
  description: 'Which fields are wrong, also in the form of 1.x.',
});

/** Error responses of every v1 route; a failed file operation has status 200. */
export const V1_ERRORS = { ...V2_ERRORS, 422: ValidationErrorBodyV1 } as const;

const PathText = z
  .string()
  .meta({ description: 'Absolute.', pattern: '^/[^\\u0000]*$', examples: ['/tmp/example/hello.txt'] });

/** The path of a file or directory: `{path}`, or `{path_b64}` if it is not UTF-8. */
export const PathFieldsV1 = { path: PathText.optional(), path_b64: PathFields.path_b64 } as const;

/** The path of a file under its name of 1.x: `{file}`, or `{path_b64}`. */
export const FileFields = { file: PathFieldsV1.path, path_b64: PathFieldsV1.path_b64 } as const;

/** The path of a request to `/v1`, which is absolute. @throws FileFailure `invalid_path` */
export function pathOf(
  { path, file, path_b64 }: { path?: string | undefined; file?: string | undefined; path_b64?: string | undefined },
  operation: string,
): FilePath {
  return absolutePath({ path: path ?? file, base64: path_b64 }, operation);
}

const FileError = z
  .object({
    errno: z.int().nullable(),
    errno_name: z.string().nullable(),
    error_type: z.string(),
    exception_type: z.string(),
    message: z.string(),
    operation: z.string(),
    path: z.string(),
    retryable: z.boolean(),
  })
  .meta({ id: 'FileOperationError', description: 'What the system said of a file operation that failed.' });

/** Payload of a v1 response: the result or the file error. */
export function orFileError<T extends z.ZodType>(data: T) {
  return z.union([FileError, data]);
}
