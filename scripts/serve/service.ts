import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { HEARTBEAT_FD } from '@sandbox/program/heartbeat/heartbeat.ts';
import { MEMORY_SETTINGS } from '@sandbox/program/memory/memory-settings.ts';
import { PARENT_PIPE } from '@sandbox/program/parent.ts';
import type { HiddenKey } from './hidden-key.ts';
import { humanLine } from './log-line.ts';
import type { Address } from './ports.ts';
import { RestartDelay } from './restart-delay.ts';
import { StallWatch } from './stall-watch.ts';

/** Exit code for a wrong option, which a restart cannot fix. */
const WRONG_OPTION = 2;
/** Descriptor of the service for its beats; the one before it has the key. */
const BEATS = 4;

export interface ServiceSpec {
  readonly name: string;
  readonly command: readonly string[];
  readonly address: Address;
  /** Path that answers when the service is ready. */
  readonly health: string;
  /** A descriptor that becomes its fourth, and variables about it. */
  readonly handover?: HiddenKey['handover'];
}

export interface Supervision {
  readonly say: (line: string) => void;
  /** Print logs in readable form instead of JSON. */
  readonly human: boolean;
  /** Seconds without a beat after which a service is killed; 0: never. */
  readonly stallSeconds: number;
}

/**
 * A child that restarts when it dies, and is killed when its main loop stops. It has its own process group, so that
 * Ctrl-C reaches only the launcher, and a pipe as standard input, which closes when the launcher dies.
 */
export class Service {
  readonly name: string;
  readonly #spec: ServiceSpec;
  readonly #supervision: Supervision;
  readonly #failed = Promise.withResolvers<number>();
  readonly #delay = new RestartDelay();
  #child: ChildProcess | undefined;
  #restart: NodeJS.Timeout | undefined;
  #steady = false;
  #stopping = false;

  constructor(spec: ServiceSpec, supervision: Supervision) {
    this.name = spec.name;
    this.#spec = spec;
    this.#supervision = supervision;
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
    const { human, stallSeconds } = this.#supervision;
    const started = performance.now();
    const beats = stallSeconds > 0 ? 'pipe' : 'ignore';
    const child = spawn(program, args, {
      detached: true,
      stdio: ['pipe', human ? 'pipe' : 'inherit', 'inherit', handover?.fd ?? 'ignore', beats],
      env: {
        ...MEMORY_SETTINGS,
        ...process.env,
        ...handover?.env,
        [PARENT_PIPE]: '1',
        [HEARTBEAT_FD]: beats === 'pipe' ? String(BEATS) : '',
      },
    });
    this.#child = child;
    child.stdin?.on('error', () => {});
    if (child.stdout) {
      createInterface({ input: child.stdout }).on('line', (line) => this.#supervision.say(humanLine(this.name, line)));
    }
    this.#watch(child);
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
      this.#supervision.say(`sandbox: ${this.name} has not stopped after ${graceMs / 1000} s, killing it`);
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

  #watch(child: ChildProcess): void {
    const { say, stallSeconds } = this.#supervision;
    const beats = child.stdio[BEATS];
    if (!(beats instanceof Readable)) return;
    beats.on('error', () => {});
    const watch = new StallWatch(beats, child.pid, stallSeconds, () => {
      say(`sandbox: ${this.name} has not responded for ${stallSeconds} s, killing it`);
      this.kill();
    });
    child.once('error', () => watch[Symbol.dispose]()).once('exit', () => watch[Symbol.dispose]());
  }

  #ended(code: number | null, signal: NodeJS.Signals | null, livedMs: number): void {
    if (this.#stopping) return;
    const how = `${this.name} ended (${signal ?? `exit ${code}`})`;
    if (code === WRONG_OPTION) {
      // The program has already printed the wrong option.
      this.#failed.resolve(WRONG_OPTION);
    } else if (this.#steady) {
      const delay = this.#delay.next(livedMs);
      this.#supervision.say(`sandbox: ${how}, starting it again${delay > 0 ? ` in ${delay / 1000} s` : ''}`);
      this.#restart = setTimeout(() => this.start(), delay);
    } else {
      this.#fail(`${how} before it was ready`, code || 1);
    }
  }

  #fail(line: string, code: number): void {
    this.#supervision.say(`sandbox: ${line}`);
    this.#failed.resolve(code);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
