import type { z } from 'zod';

/** Characters of a value that a message shows. */
const SHOWN = 40;
/** Names of fields with values that no message shows. */
const SECRET = /key|token|secret|passw|credential|cookie|env|auth|stdin|content|ticket/i;

const NOUNS: Readonly<Record<string, string>> = {
  int: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const UNITS: Readonly<Record<string, string>> = {
  string: ' characters',
  array: ' elements',
  set: ' elements',
  object: ' members',
  map: ' members',
};

type Wording = { [C in z.core.$ZodRawIssue['code']]?: (issue: z.core.$ZodRawIssue & { code: C }) => string };

const WORDING: Wording = {
  invalid_type: ({ expected }) => `expected ${NOUNS[expected] ?? expected}`,
  invalid_value: ({ values }) => `expected ${oneOf(values)}`,
  too_small: ({ inclusive, minimum, origin }) =>
    `expected ${inclusive ? 'at least' : 'more than'} ${minimum}${UNITS[origin] ?? ''}`,
  too_big: ({ inclusive, maximum, origin }) =>
    `expected ${inclusive ? 'at most' : 'less than'} ${maximum}${UNITS[origin] ?? ''}`,
  not_multiple_of: ({ divisor }) => `expected a multiple of ${divisor}`,
  invalid_format: ({ format }) => `expected a valid ${format}`,
  invalid_union: ofUnion,
  invalid_key: ({ issues }) => `${issues[0]?.message ?? 'is invalid'} as a name`,
};

/** What is wanted instead of a value, in plain words; undefined: the schema's own text stands. */
export function wanted(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== 'custom') return 'is required';
  const word = WORDING[issue.code] as ((given: z.core.$ZodRawIssue) => string) | undefined;
  return word?.(issue);
}

/** The value that was sent, unless its field may hold a secret; undefined: none was sent. */
export function came(path: readonly PropertyKey[], input: unknown): string | undefined {
  if (input === undefined) return undefined;
  if (Array.isArray(input)) return `an array of ${input.length}`;
  if (typeof input === 'object' && input !== null) return 'an object';
  if (typeof input !== 'string') return String(input);
  if (path.some((name) => SECRET.test(String(name)))) return `a string of ${input.length} characters`;
  return input.length > SHOWN ? `${JSON.stringify(input.slice(0, SHOWN))}…` : JSON.stringify(input);
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  const names = values.map(String);
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** Texts of the branches, or the names that tell them apart. */
function ofUnion(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const texts = issue.errors.flatMap(([first]) => (first?.path.length === 0 ? [first.message] : []));
  return [...new Set(texts)].join(', or ') || 'fits none of the forms of this field';
}
