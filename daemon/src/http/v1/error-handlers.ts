import { FileFailure } from '../../core/files/file-failure.ts';
import type { App } from '../app-types.ts';
import { errorHandler } from '../errors.ts';
import { detailOf } from '../validation.ts';
import { wireName } from '../wire-names.ts';

/** A failed file operation is status 200, because clients of 1.x read `success` instead of the status. */
export function answerFileFailures(routes: App): void {
  const statusOf = (error: Error): number | undefined => (error instanceof FileFailure ? 200 : undefined);
  routes.setErrorHandler(errorHandler({ validationFields: detailOf, statusOf }));
}

/** The error handler of 1.x for routes with regular error statuses. */
export const answerByStatus = errorHandler({ validationFields: detailOf });

/** Names the working directory of a command `exec_dir`, as 1.x does. */
export function nameExecDir(routes: App): void {
  const fieldName = (field: string): string => (field === 'cwd' ? 'exec_dir' : wireName(field));
  routes.setErrorHandler(errorHandler({ validationFields: detailOf, fieldName }));
}
