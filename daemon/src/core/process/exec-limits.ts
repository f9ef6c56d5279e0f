import { readFileSync } from 'node:fs';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';

const KIB = 1024;
/** The longest argument or `NAME=value` with its NUL: MAX_ARG_STRLEN of execve(2), 32 pages. */
export const STRING_BYTES = 128 * KIB;
/** execve(2): a quarter of the stack limit, at least ARG_MAX of old kernels, at most three quarters of 8 MiB. */
const TOTAL_MIN = 128 * KIB;
const TOTAL_MAX = 6 * 1024 * KIB;
/** Bytes of the pointer that each string takes. */
const POINTER_BYTES = 8;
/** Left to the path of the program, its interpreter line and what changes the account. */
const RESERVED = 8 * KIB;

interface ExecStrings {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Checks arguments and environment against the limits of the kernel (Linux; elsewhere all pass).
 * @throws SandboxError `unprocessable` that names the argument or the variable
 */
export function requireExecutable({ args = [], env = {} }: ExecStrings): void {
  if (process.platform !== 'linux') return;
  const strings = [
    ...args.map((text, index) => ({ name: `item ${index + 1}`, field: 'args', bytes: sizeOf(text) })),
    ...Object.entries(env).map(([name, value]) => ({
      name: `variable ${name.slice(0, 200)}`,
      field: 'env',
      bytes: value === undefined ? 0 : stringBytes(name, value),
    })),
  ];
  const long = strings.find(({ bytes }) => bytes > STRING_BYTES);
  if (long) throw tooLong(long, `the kernel takes ${STRING_BYTES} in one`);
  const total = strings.reduce((sum, { bytes }) => sum + bytes + POINTER_BYTES, 0);
  if (total <= TOTAL_MIN - RESERVED || total <= totalMax() - RESERVED) return;
  const largest = strings.reduce((one, other) => (other.bytes > one.bytes ? other : one));
  throw tooLong(
    largest,
    `all arguments and variables take ${total} together, the kernel takes ${totalMax() - RESERVED}`,
  );
}

/** Bytes of `NAME=value` with its NUL. */
export function stringBytes(name: string, value: string): number {
  return sizeOf(name) + sizeOf(value);
}

/** With the NUL, or the `=`, that ends it. */
function sizeOf(text: string): number {
  return Buffer.byteLength(text) + 1;
}

function tooLong({ name, field, bytes }: { name: string; field: string; bytes: number }, why: string): SandboxError {
  return new SandboxError('unprocessable', `${name} is too long: ${bytes} bytes, ${why}`, {
    field,
    hint: 'write the text to a file, or send it as stdin',
  });
}

function totalMax(): number {
  return Math.min(Math.max(stackBytes() / 4, TOTAL_MIN), TOTAL_MAX);
}

function stackBytes(): number {
  const soft = /^Max stack size +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}
