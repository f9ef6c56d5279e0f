import { randomUUID } from 'node:crypto';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { type Identity, sameRights } from '../../../core/account/identity.ts';
import { RunContext } from '../../../core/account/run-context.ts';
import type { Core } from '../../../core/core.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { childEnvironment } from '../../../core/process/environment.ts';
import { type HostedProcess, StartFailure } from '../../../core/process/process-host.ts';
import { AccountDirectories } from './account-directories.ts';
import { hasEnded } from './has-ended.ts';
import type { InterpreterSpec } from './language-runtime.ts';
import type { OwnForks } from './own-forks.ts';

/** Bytes of each stream of an interpreter itself that are kept on disk. */
const OUTPUT_BYTES = 1024 * 1024;
/** Milliseconds that killed processes may take to be reaped. */
const KILL_MS = 2000;

/** Milliseconds that the content of a directory may take to be removed. */
const REMOVE_MS = 60_000;

/** The program of an interpreter. */
export interface InterpreterProgram {
  readonly runtime: string;
  /** An absolute path, or a name that is looked up on the PATH of the account. */
  readonly file: string;
  readonly args: readonly string[];
  readonly stdin: 'null' | 'pipe';
  /** Variables that the runtime needs; those of the caller win. */
  readonly env?: Readonly<Record<string, string>>;
  /** JSON that `attach` gets back after a restart of the daemon. */
  readonly state: unknown;
  readonly outputMaxBytes?: number;
  /** It hands processes that it forks over to the host. */
  readonly forks?: boolean;
}

/** The record that the process host keeps with a process. */
export interface InterpreterRecord {
  readonly runtime: string;
  readonly state: unknown;
}

/** Starts and ends the processes of interpreters, as the account of their session. */
export class InterpreterProcesses implements Disposable {
  readonly runContext: RunContext;
  /** Private directories for sockets and files of interpreters. */
  readonly directories: AccountDirectories;
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
    this.runContext = new RunContext(core.config.defaultUser, core.platform);
    this.directories = new AccountDirectories(core.runtime.path, (identity, path) =>
      this.outputOf(identity, 'find', [path, '-mindepth', '1', '-delete'], REMOVE_MS),
    );
  }

  /** The environment of a program of the account, as an interpreter gets it. */
  environment(identity: Identity, id = 'none', ...given: Readonly<Record<string, string>>[]): Record<string, string> {
    return childEnvironment({ inherited: this.#core.environment.current(), identity, commandId: id, given });
  }

  /** @throws SandboxError `unavailable` if the program could not be started */
  async start({ identity, cwd, env }: InterpreterSpec, program: InterpreterProgram): Promise<HostedProcess> {
    const id = `code-${randomUUID()}`;
    const record: InterpreterRecord = { runtime: program.runtime, state: program.state };
    try {
      return await this.#core.processes.start({
        id,
        file: program.file,
        args: program.args,
        cwd,
        env: this.environment(identity, id, program.env ?? {}, env),
        stdin: program.stdin,
        outputMaxBytes: program.outputMaxBytes ?? OUTPUT_BYTES,
        isAsync: true,
        record: JSON.stringify(record),
        ...(program.forks && { forks: true }),
        ...(!sameRights(identity, this.runContext.own) && { identity }),
      });
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      throw new SandboxError('unavailable', `the interpreter cannot be started: ${error.message}`, {
        hint: 'look at info for the languages that there are',
        cause: error,
      });
    }
  }

  /** Whether the host takes over processes that a process of its own forks. */
  get adopts(): boolean {
    return this.#core.processes.promises.adopts;
  }

  /**
   * Has a forker fork the process of an interpreter: it gets a line of JSON with id, directory, environment and
   * arguments. @throws Error if that does not succeed within `ms`; nothing is left then
   */
  async adopt(
    forker: HostedProcess,
    { identity, cwd, env }: InterpreterSpec,
    program: InterpreterProgram,
    ms: number,
  ): Promise<HostedProcess> {
    const id = `code-${randomUUID()}`;
    const record: InterpreterRecord = { runtime: program.runtime, state: program.state };
    const account = sameRights(identity, this.runContext.own) ? {} : { identity };
    const spec = {
      id,
      stdin: 'null',
      outputMaxBytes: OUTPUT_BYTES,
      record: JSON.stringify(record),
      ...account,
    } as const;
    using place = await this.#core.processes.reserve(forker.id, spec, { ms });
    await forker.writeStdin(this.#forkRequest(id, { identity, cwd, env }, program));
    return await place.adopted;
  }

  /**
   * As `adopt`, if the host adopts nothing: the forker itself waits for the process, which ends with it and whose own
   * output is not kept.
   */
  async fork(
    forks: OwnForks,
    spec: Pick<InterpreterSpec, 'identity' | 'cwd' | 'env'>,
    program: InterpreterProgram,
    ms: number,
  ): Promise<HostedProcess> {
    const id = `code-${randomUUID()}`;
    const output = OutputLog.empty(this.#core.runtime.directory('code/forks'), id);
    const onLate = (late: HostedProcess): void => void this.end(late);
    return await forks.fork(output, this.#forkRequest(id, spec, program), { ms, onLate });
  }

  #forkRequest(
    id: string,
    { identity, cwd, env }: Pick<InterpreterSpec, 'identity' | 'cwd' | 'env'>,
    program: InterpreterProgram,
  ): Buffer {
    const environment = this.environment(identity, id, program.env ?? {}, env);
    const request = { id, cwd, env: environment, argv: [program.file, ...program.args] };
    return Buffer.from(`${JSON.stringify(request)}\n`);
  }

  /** What a program of the account wrote to stdout; undefined if it does not start or end within `ms`. */
  async outputOf(identity: Identity, file: string, args: readonly string[], ms: number): Promise<string | undefined> {
    const spec: InterpreterSpec = { language: '', variant: '', identity, cwd: '/', env: {} };
    const started = this.start(spec, { runtime: 'probe', file, args, stdin: 'null', state: null });
    const process = await started.catch(() => undefined);
    if (process === undefined) return undefined;
    try {
      const isOver = (await waitFor(process.ended, { ms })) !== 'settled';
      if (isOver || (await process.ended).exitCode !== 0) return undefined;
      const { stdout } = process.output;
      return (await stdout.read(stdout.first, stdout.end - stdout.first)).bytes.toString('utf8');
    } finally {
      await this.end(process);
    }
  }

  /** Sends a signal to the process and all that it started. */
  async signal(process: HostedProcess, signal: NodeJS.Signals): Promise<void> {
    const running = !(await hasEnded(process));
    await this.#core.processes.signal([{ id: process.id, pid: process.pid, running }], signal);
  }

  /** Kills the process with all that it started, waits for its end and removes its output. May be called twice. */
  async end(process: HostedProcess): Promise<void> {
    await this.signal(process, 'SIGKILL');
    await waitFor(process.ended, { ms: KILL_MS });
    process.acknowledgeExit();
    await process.output.remove();
  }

  [Symbol.dispose](): void {
    this.directories[Symbol.dispose]();
  }
}
