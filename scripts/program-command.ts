import { join } from 'node:path';
import process from 'node:process';
import { ROOT } from './root.ts';

/**
 * The command that starts a built service. Young objects get at most 4 MB (V8's default is 16): a relaying service
 * creates many short-lived ones and would hold three times the memory without being faster.
 */
export function programCommand(bundle: 'sandboxd' | 'gateway'): string[] {
  return [process.execPath, '--max-semi-space-size=4', join(ROOT, 'dist', `${bundle}.mjs`)];
}
