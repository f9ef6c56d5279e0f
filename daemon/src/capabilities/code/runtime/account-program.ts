import { findTool } from '../../../core/tool-path.ts';
import type { InterpreterProcesses } from './interpreter-processes.ts';
import { ProgramAnswer } from './program-answer.ts';

/** How a program is asked for its version. */
interface VersionQuestion {
  readonly args: readonly string[];
  /** Its first group is the version. */
  readonly pattern: RegExp;
  /** Milliseconds in which it answers. */
  readonly ms: number;
}

/** A program on the PATH of the default account. */
export class AccountProgram {
  readonly #processes: InterpreterProcesses;
  readonly #question: VersionQuestion;
  readonly #versions = new Map<string, ProgramAnswer<string>>();

  constructor(processes: InterpreterProcesses, question: VersionQuestion) {
    this.#processes = processes;
    this.#question = question;
  }

  /** The path of a program of this name; undefined if none exists. */
  find(name: string): string | undefined {
    return findTool(name, this.#processes.environment(this.#identity)['PATH']);
  }

  /** The version of the program at a path, which is asked once; null if its answer has none. */
  async version(command: string): Promise<string | null> {
    const known = this.#versions.get(command) ?? new ProgramAnswer(() => this.#ask(command));
    this.#versions.set(command, known);
    return (await known.get()) ?? null;
  }

  get #identity() {
    return this.#processes.runContext.identityOf(undefined);
  }

  async #ask(command: string): Promise<string | undefined> {
    const { args, pattern, ms } = this.#question;
    const text = await this.#processes.outputOf(this.#identity, command, args, ms);
    return pattern.exec(text ?? '')?.[1];
  }
}
