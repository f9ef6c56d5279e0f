import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `sandbox` with the words to its end. */
export async function commandLine(
  words: readonly string[],
  input: string,
  more: Readonly<Record<string, string>>,
): Promise<Ran> {
  const { SANDBOX_URL: _, SANDBOX_API_KEY: __, ...rest } = process.env;
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...words], {
    env: { ...rest, ...more },
  });
  const exited = once(child, 'exit');
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, out, err };
}
