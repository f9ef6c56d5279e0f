import { type Identity, sameRights } from '../../../../core/account/identity.ts';
import type { HostedProcess } from '../../../../core/process/process-host.ts';
import type { InterpreterProcesses, InterpreterProgram } from '../../runtime/interpreter-processes.ts';
import type { InterpreterSpec } from '../../runtime/language-runtime.ts';
import { OwnForks } from '../../runtime/own-forks.ts';
import type { Python } from '../find/python-probe.ts';
import { ZYGOTE_PROGRAM } from './zygote-program.ts';

/** Milliseconds that a fork may take. */
const FORK_MS = 10_000;
/** Milliseconds after the end of a zygote before another is started. */
const RETRY_MS = 5000;
/** Variables that only the start of Python reads: what it has read then cannot be changed in a fork. */
const READ_AT_START = /^(?:PYTHON|LD_|MALLOC_|MPL|OMP_|OPENBLAS_|MKL_|LANG$|LC_|PATH$|HOME$|TZ$)/;

interface Zygote {
  /** It has imported what it needs. */
  isReady: boolean;
  readonly identity: Identity;
  readonly fingerprint: string;
  readonly process: Promise<HostedProcess | undefined>;
  /** Where the host adopts nothing. */
  forks?: OwnForks;
}

/**
 * Processes that have imported what a Python kernel needs, one for each account and Python, which fork kernels. One is
 * replaced when its Python or a package changes, and when it ends; meanwhile kernels are started in the ordinary way.
 */
export class Zygotes implements AsyncDisposable {
  readonly #processes: InterpreterProcesses;
  readonly #preload: readonly string[];
  readonly #zygotes = new Map<string, Zygote>();
  readonly #ended = new Map<string, number>();
  #isClosed = false;

  constructor(processes: InterpreterProcesses, preload: readonly string[]) {
    this.#processes = processes;
    this.#preload = preload;
  }

  /** How many are ready to fork. */
  get ready(): number {
    return [...this.#zygotes.values()].filter(({ isReady }) => isReady).length;
  }

  /** Starts the zygote of an account if none exists. */
  warm(identity: Identity, python: Python): void {
    void this.#find(identity, python);
  }

  /**
   * Undefined if no zygote is ready for such a kernel; nothing has been started then. Where the host adopts nothing,
   * only kernels of one cell are forked: a session would end with its zygote.
   */
  async fork(spec: InterpreterSpec, python: Python, program: InterpreterProgram): Promise<HostedProcess | undefined> {
    if (Object.keys(spec.env).some((name) => READ_AT_START.test(name))) return undefined;
    if (!this.#processes.adopts && !spec.isOneOff) return undefined;
    const zygote = this.#find(spec.identity, python);
    const forker = zygote?.isReady ? await zygote.process : undefined;
    if (forker === undefined) return undefined;
    try {
      if (zygote?.forks) return await this.#processes.fork(zygote.forks, spec, program, FORK_MS);
      return await this.#processes.adopt(forker, spec, program, FORK_MS);
    } catch {
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#zygotes.keys()].map((key) => this.#drop(key)));
  }

  #find(identity: Identity, python: Python): Zygote | undefined {
    if (this.#isClosed) return undefined;
    const key = `${identity.name}\0${python.command}`;
    const known = this.#zygotes.get(key);
    const isCurrent = known?.fingerprint === python.fingerprint && sameRights(known.identity, identity);
    if (known && isCurrent) return known;
    if (known) void this.#drop(key);
    if (performance.now() - (this.#ended.get(key) ?? Number.NEGATIVE_INFINITY) < RETRY_MS) return undefined;
    const process = this.#start(key, identity, python);
    const made: Zygote = { isReady: false, identity, fingerprint: python.fingerprint, process };
    this.#zygotes.set(key, made);
    void process.then(async (started) => {
      await started?.output.stdout.advanced(0);
      if (started && !this.#processes.adopts) made.forks = new OwnForks(started);
      made.isReady = started !== undefined;
    });
    return made;
  }

  async #start(key: string, identity: Identity, { command }: Python): Promise<HostedProcess | undefined> {
    const { adopts } = this.#processes;
    const spec = { language: 'python', variant: 'zygote', identity, cwd: '/', env: {} };
    try {
      const process = await this.#processes.start(spec, {
        runtime: 'zygote',
        file: command,
        args: ['-c', ZYGOTE_PROGRAM, adopts ? 'keeper' : 'own', ...this.#preload],
        stdin: 'pipe',
        state: null,
        forks: adopts,
      });
      void process.ended.then(() => this.#drop(key, process));
      return process;
    } catch {
      this.#ended.set(key, performance.now());
      this.#zygotes.delete(key);
      return undefined;
    }
  }

  /** Ends the zygote of the key; with a process only if it is that one. */
  async #drop(key: string, process?: HostedProcess): Promise<void> {
    const zygote = this.#zygotes.get(key);
    const current = await zygote?.process;
    if (current === undefined || (process !== undefined && process !== current)) return;
    if (this.#zygotes.get(key) === zygote) this.#zygotes.delete(key);
    if (process !== undefined) this.#ended.set(key, performance.now());
    if (zygote?.forks && process === undefined && !this.#isClosed) await zygote.forks.close();
    await this.#processes.end(current);
  }
}
