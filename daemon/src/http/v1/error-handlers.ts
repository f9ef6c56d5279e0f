import { FileFailure } from '../../core/files/file-failure.ts';
import type { App } from '../app-types.ts';
import { errorHandler } from '../errors.ts';
import { detailOf } from '../validation.ts';
import { wireName } from '../wire-names.ts';

/** Clients of 1.x read `success` of the answer to a file operation, not its status: a failure is 200. */
export function answerFileFailures(routes: App): void {
  const statusOf = (error: Error): number | undefined => (error instanceof FileFailure ? 200 : undefined);
  routes.setErrorHandler(errorHandler({ validationFields: detailOf, statusOf }));
}

/** The error handler of 1.x for a route whose status tells what went wrong. */
export const answerByStatus = errorHandler({ validationFields: detailOf });

/** 1.x calls the directory of a command `exec_dir`. */
export function nameExecDir(routes: App): void {
  const fieldName = (field: string): string => (field === 'cwd' ? 'exec_dir' : wireName(field));
  routes.setErrorHandler(errorHandler({ validationFields: detailOf, fieldName }));
}
