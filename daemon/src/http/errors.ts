import { type ErrorHandler, type ErrorWording, handleErrors } from '@sandbox/api/http/error-handler.ts';
import type { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { FileFailure } from '../core/files/file-failure.ts';
import { fileErrorData } from './files/file-error-data.ts';

/** The error handler of a surface; the data of a failed file operation are the facts about it. */
export function errorHandler(wording: ErrorWording = {}): ErrorHandler {
  return handleErrors({ dataOf, ...wording });
}

function dataOf(error: SandboxError, message: string): unknown {
  return error instanceof FileFailure ? fileErrorData({ ...error.file, message }) : undefined;
}
