import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

/** Runs a command with its output shown and no input. Resolves with whether it exited 0; a missing program did not. */
export async function succeeds(command: readonly string[], output: 'inherit' | 'ignore' = 'inherit'): Promise<boolean> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', output, output], env: process.env });
  try {
    const [code] = await once(child, 'exit');
    return code === 0;
  } catch {
    return false;
  }
}
