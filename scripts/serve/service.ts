import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { PARENT_PIPE } from '@sandbox/program/parent.ts';
import type { HiddenKey } from './hidden-key.ts';
import { humanLine } from './log-line.ts';
import type { Address } from './ports.ts';
import { RestartDelay } from './restart-delay.ts';

/** Exit code for a wrong option, which a restart cannot fix. */
const WRONG_OPTION = 2;

export interface ServiceSpec {
  readonly name: string;
  readonly command: readonly string[];
  readonly address: Address;
  /** Path that answers when the service is ready. */
  readonly health: string;
  /** A descriptor that becomes its fourth, and variables about it. */
  readonly handover?: HiddenKey['handover'];
}

export interface ServiceOutput {
  readonly say: (line: string) => void;
  /** Print logs in readable form instead of JSON. */
  readonly human: boolean;
}

/**
 * A child that restarts when it dies. It has its own process group, so that Ctrl-C reaches only the launcher,
 * and a pipe as standard input, which closes when the launcher dies.
 */
export class Service {
  readonly name: string;
  readonly #spec: ServiceSpec;
  readonly #output: ServiceOutput;
  readonly #failed = Promise.withResolvers<number>();
  readonly #delay = new RestartDelay();
  #child: ChildProcess | undefined;
  #restart: NodeJS.Timeout | undefined;
  #steady = false;
  #stopping = false;

  constructor(spec: ServiceSpec, output: ServiceOutput) {
    this.name = spec.name;
    this.#spec = spec;
    this.#output = output;
  }

  /** Resolves with the launcher's exit code when the service has ended in a way that a restart cannot fix. */
  get failed(): Promise<number> {
    return this.#failed.promise;
  }

  /** It never ran, or its last process stopped on request. */
  get endedInOrder(): boolean {
    return this.#child?.pid === undefined || this.#child.exitCode === 0;
  }

  start(): void {
    const { command, handover } = this.#spec;
    const [program = process.execPath, ...args] = command;
    const started = performance.now();
    const child = spawn(program, args, {
      detached: true,
      stdio: ['pipe', this.#output.human ? 'pipe' : 'inherit', 'inherit', ...(handover ? [handover.fd] : [])],
      env: { ...process.env, ...handover?.env, [PARENT_PIPE]: '1' },
    });
    this.#child = child;
    child.stdin?.on('error', () => {});
    if (child.stdout) {
      createInterface({ input: child.stdout }).on('line', (line) => this.#output.say(humanLine(this.name, line)));
    }
    child.once('error', ({ message }) => this.#fail(`${this.name} cannot be started: ${message}`, 1));
    child.once('exit', (code, signal) => this.#ended(code, signal, performance.now() - started));
  }

  /** From now on the service restarts when it dies; before, its death ends the launcher. */
  markReady(): void {
    this.#steady = true;
  }

  /** SIGTERM, and SIGKILL after `graceMs`. Resolves when the child has been reaped. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child?.pid === undefined || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => {
      this.#output.say(`sandbox: ${this.name} has not stopped after ${graceMs / 1000} s, killing it`);
      this.kill();
    }, graceMs);
    await ended;
    clearTimeout(timer);
  }

  kill(): void {
    const child = this.#child;
    if (child?.pid === undefined || hasEnded(child)) return;
    process.kill(-child.pid, 'SIGKILL');
  }

  #ended(code: number | null, signal: NodeJS.Signals | null, livedMs: number): void {
    if (this.#stopping) return;
    const how = `${this.name} ended (${signal ?? `exit ${code}`})`;
    if (code === WRONG_OPTION) {
      // The program has already printed the wrong option.
      this.#failed.resolve(WRONG_OPTION);
    } else if (this.#steady) {
      const delay = this.#delay.next(livedMs);
      this.#output.say(`sandbox: ${how}, starting it again${delay > 0 ? ` in ${delay / 1000} s` : ''}`);
      this.#restart = setTimeout(() => this.start(), delay);
    } else {
      this.#fail(`${how} before it was ready`, code || 1);
    }
  }

  #fail(line: string, code: number): void {
    this.#output.say(`sandbox: ${line}`);
    this.#failed.resolve(code);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
