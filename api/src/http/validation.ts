import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { snakeCase } from '../fields/snake-case.ts';
import { SandboxError } from '../sandbox-error.ts';
import { came, wanted } from './validation-message.ts';

/** Names of the request parts in the `location` of an error. */
const PARTS: Readonly<Record<string, string>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

/** Issues that an answer lists; the first ones. */
const MAX_ISSUES = 100;
/** Characters of the message of an issue, which may name what the client sent, and of a key in its location. */
const MAX_TEXT = 200;

/** A request that does not match its schema: status 422. */
export class ValidationFailure extends Error {
  readonly issues: readonly { location: (string | number)[]; message: string; type: string }[];
  /** What the caller can do about it; undefined: a valid request is the hint. */
  readonly hint: string | undefined;

  constructor(part: string, issues: readonly z.core.$ZodIssue[], hint?: string) {
    const located = issues
      .flatMap(ofOneForm)
      .slice(0, MAX_ISSUES)
      .map((issue) => ({
        location: [PARTS[part] ?? part, ...issue.path.map((key) => (typeof key === 'number' ? key : cut(String(key))))],
        message: cut(part === 'querystring' ? ofQuery(issue) : messageOf(issue)),
        type: issue.code,
      }));
    const more = issues.length > MAX_ISSUES ? `; and ${issues.length - MAX_ISSUES} more` : '';
    super(located.map(({ location, message }) => `${location.join('.')}: ${message}`).join('; ') + more);
    this.name = 'ValidationFailure';
    this.issues = located;
    this.hint = hint;
  }
}

export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = httpPart ?? 'body';
  return (value) => {
    const result = schema.safeParse(value, { error: wanted, reportInput: true });
    return result.success ? { value: result.data } : { error: new ValidationFailure(part, result.error.issues) };
  };
};

/** A value that the service does not know is answered as one that does not fit the schema, with its field. */
export async function located<T>(work: Promise<T>, part: 'body' | 'querystring' = 'body'): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof SandboxError) || error.kind !== 'unprocessable') throw error;
    const message = error.messageNaming(() => '').trim();
    const path = error.details.field === undefined ? [] : [snakeCase(error.details.field)];
    throw new ValidationFailure(part, [{ code: 'custom', path, message }], error.details.hint);
  }
}

/** The issues of an object that has one of several forms; as they are if it may be meant in more than one way. */
function ofOneForm(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [form, ...others] = issue.errors.filter((errors) => errors.every(({ path }) => path.length > 0));
  if (form === undefined || others.length > 0) return [issue];
  return form.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** What is expected, and what was sent instead. */
function messageOf({ message, path, input }: z.core.$ZodIssue): string {
  const got = message.startsWith('expected ') ? came(path, input) : undefined;
  return got === undefined ? message : `${message}, got ${got}`;
}

/** In a query an empty value is often a variable without a value: it does not mean that the field is absent. */
function ofQuery(issue: z.core.$ZodIssue): string {
  return issue.input === '' ? 'is empty: give it a value, or leave it out' : messageOf(issue);
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** The issues in the format of FastAPI (`HTTPValidationError`), which clients of 1.x parse. */
export function detailOf(issues: ValidationFailure['issues']): Record<string, unknown> {
  return { detail: issues.map(({ location, message, type }) => ({ loc: location, msg: message, type })) };
}
