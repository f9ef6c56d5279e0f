import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

/** Runs a command without input; its output goes to ours, to nothing, or to a descriptor. Resolves with true if it
 * exited 0; a missing program is false. */
export async function succeeds(
  command: readonly string[],
  output: 'inherit' | 'ignore' | number = 'inherit',
): Promise<boolean> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', output, output], env: process.env });
  try {
    const [code] = await once(child, 'exit');
    return code === 0;
  } catch {
    return false;
  }
}
