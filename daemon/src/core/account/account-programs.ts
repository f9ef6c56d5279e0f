import { randomUUID } from 'node:crypto';
import { waitFor } from '@sandbox/api/wait.ts';
import type { Core } from '../core.ts';
import type { ByteLog } from '../output/byte-log.ts';
import { childEnvironment } from '../process/environment.ts';
import { type HostedProcess, StartFailure } from '../process/process-host.ts';
import { findTool } from '../tool-path.ts';
import { type Identity, sameRights } from './identity.ts';
import { RunContext } from './run-context.ts';

const OUTPUT_BYTES = 4 * 1024 * 1024;
/** Milliseconds that a killed program may take to be reaped. */
const KILL_MS = 2000;

/** How a program ended: its exit code, null after a signal, with what it wrote to stdout. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
}

/**
 * Runs programs that the daemon needs the answer of. They run as the account of commands: what stands on its PATH may
 * be the account's own.
 */
export class AccountPrograms {
  readonly #core: Core;
  readonly #runContext: RunContext;

  private constructor(core: Core) {
    this.#core = core;
    this.#runContext = new RunContext(core.config.defaultUser, core.platform);
  }

  /** Ends the programs of an earlier daemon. */
  static async open(core: Core): Promise<AccountPrograms> {
    await core.processes.abandon(core.processes.recover(new Map()).processes.values());
    return new AccountPrograms(core);
  }

  /** The account of commands. @throws SandboxError if it cannot be had */
  get identity(): Identity {
    return this.#runContext.identityOf(undefined);
  }

  get home(): string {
    return this.#runContext.homeOf(this.identity);
  }

  /** The PATH of commands. */
  get path(): string {
    return this.#environment('path')['PATH'] ?? '';
  }

  /** Undefined if the PATH of commands does not have it. */
  find(program: string, path: string = this.path): string | undefined {
    return findTool(program, path);
  }

  /** What it wrote to stdout; undefined if it cannot be started or does not end within `ms`. */
  async output(file: string, args: readonly string[], ms: number): Promise<string | undefined> {
    try {
      return (await this.run(file, args, { ms }))?.stdout;
    } catch (error) {
      if (error instanceof StartFailure) return undefined;
      throw error;
    }
  }

  /**
   * Runs it to its end; undefined if it does not end within `ms`: it is killed then. Processes that it leaves in the
   * background stay.
   * @throws StartFailure if it cannot be started
   */
  async run(
    file: string,
    args: readonly string[],
    { ms, env = {} }: { readonly ms: number; readonly env?: Readonly<Record<string, string>> },
  ): Promise<ProgramEnd | undefined> {
    const process = await this.#start(file, args, env);
    const hasEnded = (await waitFor(process.ended, { ms })) === 'settled';
    if (!hasEnded) await this.#kill(process);
    const stdout = hasEnded ? await textOf(process.output.stdout) : '';
    process.acknowledgeExit();
    await process.output.remove();
    return hasEnded ? { code: (await process.ended).exitCode, stdout } : undefined;
  }

  #start(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<HostedProcess> {
    const id = `about-${randomUUID()}`;
    return this.#core.processes.start({
      id,
      file,
      args,
      cwd: '/',
      env: this.#environment(id, env),
      stdin: 'null',
      outputMaxBytes: OUTPUT_BYTES,
      ...this.#account(),
    });
  }

  async #kill(process: HostedProcess): Promise<void> {
    const target = { id: process.id, pid: process.pid, running: true, ...this.#account() };
    await this.#core.processes.signal([target], 'SIGKILL');
    await waitFor(process.ended, { ms: KILL_MS });
  }

  #account(): { identity?: Identity } {
    const { identity } = this;
    return sameRights(identity, this.#runContext.own) ? {} : { identity };
  }

  #environment(id: string, env: Readonly<Record<string, string>> = {}): Record<string, string> {
    const inherited = this.#core.environment.current();
    return childEnvironment({ inherited, identity: this.identity, commandId: id, given: [env] });
  }
}

async function textOf(log: ByteLog): Promise<string> {
  const parts: Buffer[] = [];
  for (let at = log.first; at < log.end; ) {
    const { offset, bytes } = await log.read(at, log.end - at);
    if (bytes.length === 0) break;
    parts.push(bytes);
    at = offset + bytes.length;
  }
  return Buffer.concat(parts).toString('utf8');
}
