import { join } from 'node:path';
import process from 'node:process';
import { ROOT } from './root.ts';
import { NODE_FLAGS } from './serve/run-services.ts';

/** The command that starts a built service of the checkout. */
export function programCommand(bundle: 'sandboxd' | 'gateway'): string[] {
  return [process.execPath, ...NODE_FLAGS, join(ROOT, 'dist', `${bundle}.mjs`)];
}
