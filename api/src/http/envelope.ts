import { z } from 'zod';

export interface Envelope<T> {
  readonly success: boolean;
  readonly message: string;
  readonly data: T;
  readonly hint: string | null;
}

/** The envelope of a successful call. */
export function ok<T>(data: T, message: string): Envelope<T> {
  return { success: true, message, data, hint: null };
}

/** The envelope of an error. @param hint the next step, which every error has */
export function failure(message: string, hint: string, data: unknown = null): Envelope<unknown> {
  return { success: false, message, data, hint };
}

/** The schema of an envelope with the payload `data`. */
export function envelopeOf<T extends z.ZodType>(data: T) {
  return z.object({ success: z.boolean(), message: z.string(), data, hint: z.string().nullable() });
}

export const ErrorBody = z
  .object({ success: z.literal(false), message: z.string(), data: z.unknown(), hint: z.string().nullable() })
  .meta({ id: 'ErrorBody', description: 'What went wrong, in one line, and what to do about it where that is known.' });

const Location = z.array(z.union([z.string(), z.int()]));

const ValidationIssue = z.object({
  location: Location.meta({ description: 'Begins with body, query or path, then names the field.' }),
  message: z.string(),
  type: z.string(),
});

export const ValidationErrorBody = z
  .object({
    success: z.literal(false),
    message: z.string(),
    data: z.null(),
    hint: z.string().nullable(),
    errors: z.array(ValidationIssue),
  })
  .meta({ id: 'ValidationErrorBody', description: 'Which fields of the request are wrong.' });

/** Error responses of every v2 route. */
export const V2_ERRORS = {
  400: ErrorBody,
  401: ErrorBody,
  403: ErrorBody,
  404: ErrorBody,
  422: ValidationErrorBody,
} as const;
