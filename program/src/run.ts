import process from 'node:process';
import { OptionError } from './options.ts';

/** Something a program runs until it is told to stop. `stop` resolves when nothing of it is left. */
export interface Running {
  stop(): Promise<void>;
}

/**
 * The life of a program: start, wait for SIGTERM or SIGINT, stop, exit 0. One that comes during the start is heeded as
 * soon as that is done; a second signal ends it at once.
 * A wrong option or a start that fails ends it with one line on standard error: exit 2 or 1.
 */
export async function runProgram(name: string, start: () => Promise<Running | undefined>): Promise<void> {
  let started: Promise<Running | undefined> | undefined;
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(signal === 'SIGINT' ? 130 : 143);
    stopping = true;
    started?.then(
      (running) => stopInOrder(name, running),
      // A start that fails ends it below.
      () => {},
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

async function stopInOrder(name: string, running: Running | undefined): Promise<void> {
  try {
    await running?.stop();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${name}: stopping failed: ${String(error)}\n`);
    process.exit(1);
  }
}
