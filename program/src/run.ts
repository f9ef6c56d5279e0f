import process from 'node:process';
import { ignore } from './ignore.ts';
import { OptionError } from './options.ts';

/** A running program. `stop` resolves when it has released all its resources. */
export interface Running {
  stop(): Promise<void>;
}

/**
 * Runs a program: starts it, waits for SIGTERM or SIGINT, stops it and exits with 0. A signal during the start is
 * handled after the start; a second signal exits at once. An OptionError exits with 2 and any other failure of the
 * start with 1, each with one line on standard error.
 */
export async function runProgram(name: string, start: () => Promise<Running | undefined>): Promise<void> {
  let started: Promise<Running | undefined> | undefined;
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(signal === 'SIGINT' ? 130 : 143);
    stopping = true;
    started?.then(
      (running) => stopGracefully(name, running),
      // A failed start is handled below.
      ignore,
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    started = start();
    const running = await started;
    if (running === undefined && !stopping) process.off('SIGTERM', stop).off('SIGINT', stop);
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof OptionError ? 2 : 1);
  }
}

async function stopGracefully(name: string, running: Running | undefined): Promise<void> {
  try {
    await running?.stop();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${name}: stopping failed: ${String(error)}\n`);
    process.exit(1);
  }
}
