import { snakeCase } from '@sandbox/api/fields/snake-case.ts';
import { ValidationFailure } from '@sandbox/api/http/validation.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';

/** A value that the service does not know is answered as one that does not fit the schema, with its field. */
export async function located<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof SandboxError) || error.kind !== 'unprocessable') throw error;
    const message = error.messageNaming(() => '').trim();
    const path = error.details.field === undefined ? [] : [snakeCase(error.details.field)];
    throw new ValidationFailure('body', [{ code: 'custom', path, message }]);
  }
}
