import { snakeCase } from '@sandbox/api/fields/snake-case.ts';
import type { App } from '@sandbox/api/http/app-types.ts';
import { detailOf } from '@sandbox/api/http/validation.ts';
import { FileFailure } from '../../core/files/file-failure.ts';
import { errorHandler } from '../errors.ts';

/** A failed file operation is status 200, because clients of 1.x read `success` instead of the status. */
export function answerFileFailures(routes: App): void {
  routes.setErrorHandler(errorHandler({ validationFields: detailOf, statusOf, messageOf: failedMessage }));
}

/** The error handler of the editor, in whose messages clients of 1.x look for their cause. */
export const answerEditorFailures = errorHandler({ validationFields: detailOf, statusOf, messageOf: editorMessage });

function statusOf(error: Error): number | undefined {
  return error instanceof FileFailure ? 200 : undefined;
}

function failedMessage(error: Error): string | undefined {
  if (!(error instanceof FileFailure) || error.file.errnoName !== 'ENOENT') return undefined;
  return `Failed to ${error.file.operation} file: [Errno 2] No such file or directory: '${error.file.path}'`;
}

function editorMessage(error: Error): string | undefined {
  if (!(error instanceof FileFailure)) return undefined;
  const { errorType, message, path } = error.file;
  if (errorType === 'not_found') return `The path ${path} does not exist. Please provide a valid path.`;
  return errorType === 'invalid_path' ? `Invalid \`path\` parameter: ${message}` : undefined;
}

/** The error handler of 1.x for routes with regular error statuses. */
export const answerByStatus = errorHandler({ validationFields: detailOf });

/** Names the working directory of a command `exec_dir`, as 1.x does. */
export function nameExecDir(routes: App): void {
  const fieldName = (field: string): string => (field === 'cwd' ? 'exec_dir' : snakeCase(field));
  routes.setErrorHandler(errorHandler({ validationFields: detailOf, fieldName }));
}
