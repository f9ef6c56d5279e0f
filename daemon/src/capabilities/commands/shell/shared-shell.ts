import { posix } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import type { HelperPlaces } from '../../../core/files/helper-places.ts';
import type { ProcessUsage } from '../../../core/process/process-host.ts';
import { reportOutput } from '../../../core/tools/output-progress.ts';
import { excerptOf } from '../output/excerpt.ts';
import { newOutputOf } from '../output/new-output.ts';
import type { Command, CommandStatus } from '../run/command.ts';
import { type CommandStarter, START_PATIENCE_MS } from '../run/command-starter.ts';
import type { Launcher } from '../run/launcher.ts';
import { DirectoryFile } from './directory-file.ts';

const BEGIN = { stdout: 0, stderr: 0 };

export interface ShellCall {
  readonly command: string;
  /** Where it begins: as the shell resolves it, from its directory. */
  readonly cwd?: string | undefined;
  /** Begin in the home, and leave the directory of the shell as it is. */
  readonly isolated: boolean;
  /** Seconds that the call waits for the end. */
  readonly timeout: number;
  /** Seconds after which all processes of the command are ended. */
  readonly hardTimeout?: number | undefined;
  /** Stdin is a pipe that stays open; else it is empty. */
  readonly openStdin: boolean;
  /** Report the directory with its links as they were entered. */
  readonly keepLinks: boolean;
  /** Bytes of each stream. */
  readonly excerptBytes: number;
}

export interface ShellResult {
  readonly commandId: string;
  /** Null until it was started. */
  readonly pid: number | null;
  readonly status: CommandStatus;
  readonly output: string;
  readonly truncated: boolean;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly usage: ProcessUsage | null;
  /** Why it could not be started. */
  readonly message: string | null;
  /** Where it ended; where it began if that is not known. */
  readonly cwd: string;
}

/**
 * Commands of which each begins in the directory where the one before ended, as in a shell; nothing else is carried
 * over. Calls at the same time do not mix; of these the last to end moves the shell. The directory is that of this
 * daemon's life.
 */
export class SharedShell {
  readonly #starter: CommandStarter;
  readonly #launcher: Launcher;
  readonly #places: HelperPlaces;
  #directory: string | undefined;

  constructor(starter: CommandStarter, launcher: Launcher, places: HelperPlaces) {
    this.#starter = starter;
    this.#launcher = launcher;
    this.#places = places;
  }

  /**
   * @param gone the call ends; the command continues
   * @param report gets new output
   * @throws SandboxError as `CommandStarter.start`
   */
  async run(call: ShellCall, gone: AbortSignal, report?: (text: string) => void): Promise<ShellResult> {
    const until = performance.now() + call.timeout * 1000;
    const start = this.#start(call);
    const file = this.#directoryFile(!call.keepLinks);
    let command: Command;
    try {
      const env = file && { BASH_ENV: file.path };
      const { command: text, timeout: wait, hardTimeout, openStdin } = call;
      const request = { command: text, shell: 'auto', cwd: start, env, ownEnv: true, openStdin, hardTimeout, wait };
      command = await this.#starter.start(request, Math.min(wait * 1000, START_PATIENCE_MS), gone);
    } catch (error) {
      file?.[Symbol.dispose]();
      throw error;
    }
    const ended = command.ended.then(() => {
      using _file = file;
      return file?.directory() ?? start;
    });
    {
      using _reports = reportOutput({ gone, progress: report }, newOutputOf(command, BEGIN));
      await waitFor(command.ended, { ms: Math.max(0, until - performance.now()), signal: gone });
    }
    const isOver = !command.isRunning;
    const cwd = isOver ? await ended : start;
    if (isOver && !call.isolated) this.#directory = cwd;
    const { output, truncated } = await excerptOf(command.output, call.excerptBytes);
    const { id, pid, status, exitCode, signal, usage, message } = command.record;
    return { commandId: id, pid, status, output, truncated, exitCode, signal, usage, message, cwd };
  }

  /** Undefined if the disks are full: the command, which may free them, runs, and if it ends is not known. */
  #directoryFile(physical: boolean): DirectoryFile | undefined {
    try {
      return DirectoryFile.create(this.#places, this.#launcher.identityOf(undefined), physical);
    } catch (error) {
      if (error instanceof SandboxError && error.kind === 'disk_full') return undefined;
      throw error;
    }
  }

  /** @throws SandboxError `invalid` if the directory that the call names cannot be entered */
  #start({ cwd, isolated }: ShellCall): string {
    const own = isolated ? undefined : this.#reachable();
    const here = own ?? this.#launcher.directory(undefined, undefined);
    return cwd === undefined
      ? here
      : this.#launcher.requireDirectory(posix.resolve(this.#launcher.resolve(cwd, undefined, here)));
  }

  /** The directory of the shell; undefined if it has gone. */
  #reachable(): string | undefined {
    if (this.#directory === undefined) return undefined;
    try {
      return this.#launcher.requireDirectory(this.#directory);
    } catch (error) {
      if (error instanceof SandboxError) return undefined;
      throw error;
    }
  }
}
