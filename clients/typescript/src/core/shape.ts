import { SandboxError } from './errors.ts';

/**
 * What a value of JSON has to be: a type, with `|null` if null is allowed; `[item]`; `['null', shape]`; an object of
 * fields, of which those with `?` may be missing. Further fields are allowed, as a newer service may have them.
 */
export type Shape = string | readonly [Shape] | readonly ['null', Shape] | { readonly [field: string]: Shape };

/**
 * The value, if it has the shape. A field that may be null and is missing is null.
 * @throws SandboxError with the name of the field
 */
export function shaped<T>(value: unknown, shape: Shape, name: string): T {
  check(value, shape, name);
  return value as T;
}

function check(value: unknown, shape: Shape, name: string): void {
  if (typeof shape === 'string') checkType(value, shape, name);
  else if (isArrayShape(shape)) checkArray(value, shape, name);
  else checkFields(value, shape, name);
}

function isArrayShape(shape: Shape): shape is readonly [Shape] | readonly ['null', Shape] {
  return Array.isArray(shape);
}

function checkType(value: unknown, shape: string, name: string): void {
  const type = shape.endsWith('|null') ? shape.slice(0, -5) : shape;
  if (type === 'unknown' || (value === null && type !== shape)) return;
  // JSON has no infinite number, but 1e400 is read as one.
  if (typeof value !== type || (type === 'number' && !Number.isFinite(value))) throw wrong(value, type, name);
}

function checkArray(value: unknown, shape: readonly [Shape] | readonly ['null', Shape], name: string): void {
  if (shape.length === 2) {
    if (value !== null) check(value, shape[1], name);
    return;
  }
  if (!Array.isArray(value)) throw wrong(value, 'array', name);
  for (const item of value) check(item, shape[0], `an item of ${name}`);
}

function checkFields(value: unknown, shape: Readonly<Record<string, Shape>>, name: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(value, 'object', name);
  const fields = value as Record<string, unknown>;
  for (const [key, field] of Object.entries(shape)) {
    const isOptional = key.endsWith('?');
    const at = isOptional ? key.slice(0, -1) : key;
    if (fields[at] === undefined && isOptional) continue;
    if (fields[at] === undefined && mayBeNull(field)) fields[at] = null;
    check(fields[at], field, `${name}.${at}`);
  }
}

function mayBeNull(shape: Shape): boolean {
  return typeof shape === 'string' ? shape.endsWith('|null') : isArrayShape(shape) && shape.length === 2;
}

function wrong(value: unknown, type: string, name: string): SandboxError {
  const found = value === undefined ? 'missing' : `not ${type === 'array' || type === 'object' ? 'an' : 'a'} ${type}`;
  return notOfSandbox(`${name} is ${found}`);
}

/** An answer that no version of the service gives. */
export function notOfSandbox(reason: string, cause?: unknown): SandboxError {
  return new SandboxError(`the answer is not that of a sandbox: ${reason}`, {
    hint: 'look whether the address is that of a sandbox, and whether a proxy changes its answers',
    cause,
  });
}

/** @throws SandboxError for text that is not JSON */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notOfSandbox('it is not JSON', cause);
  }
}
