import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { succeeds } from './run-command.ts';

/** A directory for a file per step, which is printed when the step has ended; or nowhere. */
export type Output = { readonly directory: string } | 'ignore';

/** The output of a step: steps that run at the same time would mix theirs. */
export class StepOutput {
  readonly #file: string | undefined;
  readonly #say: (line: string) => void;

  constructor(step: string, { output, say }: { readonly output: Output; readonly say: (line: string) => void }) {
    this.#file = output === 'ignore' ? undefined : join(output.directory, `${step.replaceAll(/\W+/g, '-')}.log`);
    this.#say = say;
    if (output !== 'ignore') mkdirSync(output.directory, { recursive: true });
  }

  /** Runs a command. Resolves with whether it exited 0, after its output was printed. */
  async of(command: readonly string[]): Promise<boolean> {
    if (this.#file === undefined) return succeeds(command, 'ignore');
    const log = openSync(this.#file, 'w');
    try {
      return await succeeds(command, log);
    } finally {
      closeSync(log);
      this.#say(readFileSync(this.#file, 'utf8').trimEnd());
    }
  }
}
