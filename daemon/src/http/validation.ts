import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';

/** Names of the request parts in the `location` of an error. */
const PARTS: Readonly<Record<string, string>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

/** A request that does not match its schema: status 422. */
export class ValidationFailure extends Error {
  readonly issues: readonly { location: (string | number)[]; message: string; type: string }[];

  constructor(part: string, issues: readonly z.core.$ZodIssue[]) {
    const located = issues.map((issue) => ({
      location: [PARTS[part] ?? part, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))],
      message: issue.message,
      type: issue.code,
    }));
    super(located.map(({ location, message }) => `${location.join('.')}: ${message}`).join('; '));
    this.name = 'ValidationFailure';
    this.issues = located;
  }
}

export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = httpPart ?? 'body';
  return (value) => {
    const result = schema.safeParse(value);
    return result.success ? { value: result.data } : { error: new ValidationFailure(part, result.error.issues) };
  };
};

/** The issues in the format of FastAPI (`HTTPValidationError`), which clients of 1.x parse. */
export function detailOf(issues: ValidationFailure['issues']): Record<string, unknown> {
  return { detail: issues.map(({ location, message, type }) => ({ loc: location, msg: message, type })) };
}
