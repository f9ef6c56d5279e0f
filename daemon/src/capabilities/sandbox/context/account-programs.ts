import { randomUUID } from 'node:crypto';
import { type Identity, sameRights } from '../../../core/account/identity.ts';
import { RunContext } from '../../../core/account/run-context.ts';
import type { Core } from '../../../core/core.ts';
import type { ByteLog } from '../../../core/output/byte-log.ts';
import { childEnvironment } from '../../../core/process/environment.ts';
import { type HostedProcess, StartFailure } from '../../../core/process/process-host.ts';
import { findTool } from '../../../core/tool-path.ts';
import { waitFor } from '../../../core/wait.ts';

const OUTPUT_BYTES = 4 * 1024 * 1024;
/** Milliseconds that a killed program may take to be reaped. */
const KILL_MS = 2000;

/**
 * Runs programs that answer questions about the sandbox. They run as the account of commands: what stands on its PATH
 * may be the account's own.
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

  /** The account of commands. @throws SandboxError where it cannot be had */
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

  /** Undefined where the PATH of commands does not have it. */
  find(program: string, path: string = this.path): string | undefined {
    return findTool(program, path);
  }

  /** What it wrote to stdout; undefined where it cannot be started or does not end within `ms`. */
  async output(file: string, args: readonly string[], ms: number): Promise<string | undefined> {
    let process: HostedProcess;
    try {
      process = await this.#start(file, args);
    } catch (error) {
      if (error instanceof StartFailure) return undefined;
      throw error;
    }
    const hasEnded = (await waitFor(process.ended, { ms })) === 'settled';
    if (!hasEnded) await this.#kill(process);
    const text = hasEnded ? await textOf(process.output.stdout) : undefined;
    process.acknowledgeExit();
    await process.output.remove();
    return text;
  }

  #start(file: string, args: readonly string[]): Promise<HostedProcess> {
    const id = `about-${randomUUID()}`;
    return this.#core.processes.start({
      id,
      file,
      args,
      cwd: '/',
      env: this.#environment(id),
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

  #environment(id: string): Record<string, string> {
    return childEnvironment({ inherited: this.#core.environment.current(), identity: this.identity, commandId: id });
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
