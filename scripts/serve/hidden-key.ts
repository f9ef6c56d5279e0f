import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VARIABLES = ['SVC_API_KEY', 'SANDBOX_API_KEY'] as const;
const FLAG = '--api-key';
/** Keys that the daemon accepts; it reports any other. */
const KEY = /^[\x21-\x7e]+$/;
/** The first descriptor after the standard streams. */
const DESCRIPTOR = 3;

type Env = Readonly<Record<string, string | undefined>>;

export interface HiddenKey {
  /** The arguments and the environment without the key. */
  readonly args: readonly string[];
  readonly env: Env;
  /** A descriptor that the daemon gets as its fourth, and the variables that name it. */
  readonly handover?: { readonly fd: number; readonly env: Env };
}

/**
 * Moves the key from arguments and environment to a file without a name, which the daemon opens through its descriptor.
 * Without `/proc` the key stays where it is.
 */
export function hideKey(args: readonly string[], env: Env): HiddenKey {
  const at = args.findIndex((arg) => arg === FLAG || arg.startsWith(`${FLAG}=`));
  const width = args[at] === FLAG ? 2 : 1;
  const flag = at < 0 ? undefined : width === 2 ? args[at + 1] : args[at]?.slice(`${FLAG}=`.length);
  const key = at < 0 ? VARIABLES.map((name) => env[name]).find(Boolean) : flag;
  if (key === undefined || !KEY.test(key) || !existsSync('/proc/self/fd')) return { args, env };
  return {
    args: at < 0 ? args : args.toSpliced(at, width),
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !VARIABLES.some((variable) => variable === name))),
    handover: { fd: unnamedFile(key), env: { SVC_API_KEY_FILE: `/proc/self/fd/${DESCRIPTOR}` } },
  };
}

function unnamedFile(text: string): number {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-'));
  try {
    const path = join(directory, 'key');
    writeFileSync(path, text, { mode: 0o600 });
    return openSync(path, 'r');
  } finally {
    rmSync(directory, { recursive: true });
  }
}
