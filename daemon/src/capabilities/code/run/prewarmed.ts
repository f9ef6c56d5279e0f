import { statSync } from 'node:fs';
import type { Logger } from '@sandbox/program/logger.ts';
import { sameRights } from '../../../core/account/identity.ts';
import { WarmPool } from '../execution/warm-pool.ts';
import type { InterpreterProcesses } from '../runtime/interpreter-processes.ts';
import type { LanguageCatalogue } from '../runtime/language-catalogue.ts';
import type { Interpreter, InterpreterSpec, LanguageRuntime } from '../runtime/language-runtime.ts';

/** How many interpreters of a language are kept warm. */
export interface PoolSize {
  readonly language: string;
  readonly size: number;
}

interface Pooled {
  readonly runtime: LanguageRuntime;
  readonly spec: InterpreterSpec;
  readonly pool: WarmPool<Interpreter>;
}

/** Opens interpreters, from a pool if a warm one of the default account is there. */
export class Prewarmed implements AsyncDisposable {
  readonly #processes: InterpreterProcesses;
  readonly #logger: Logger;
  /** Where warm interpreters were started. */
  readonly #places = new WeakMap<Interpreter, { readonly cwd: string; readonly inode: string | undefined }>();
  #pools: readonly Pooled[] = [];
  #filling: Promise<void> = Promise.resolve();

  constructor(processes: InterpreterProcesses, logger: Logger) {
    this.#processes = processes;
    this.#logger = logger;
  }

  /** Interpreters that are warm now. */
  get size(): number {
    return this.#pools.reduce((sum, { pool }) => sum + pool.size, 0);
  }

  /** Fills the pools in the background. */
  fill(catalogue: LanguageCatalogue, sizes: readonly PoolSize[]): void {
    this.#filling = this.#open(catalogue, sizes).catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'the pool of interpreters cannot be filled');
    });
  }

  /** A warm interpreter that has entered directory and variables of the spec, or a new one. @throws as `open` */
  async open(runtime: LanguageRuntime, spec: InterpreterSpec): Promise<Interpreter> {
    const warm = this.#pools.find((pooled) => pooled.runtime === runtime && fits(pooled.spec, spec))?.pool.take();
    if (warm === undefined) return await runtime.open(spec);
    try {
      if (!this.#isAt(warm, spec)) await warm.enter(spec.cwd, spec.env);
      return warm;
    } catch {
      await warm[Symbol.asyncDispose]();
      return await runtime.open(spec);
    }
  }

  async #start(runtime: LanguageRuntime, spec: InterpreterSpec): Promise<Interpreter> {
    const inode = inodeOf(spec.cwd);
    const started = await runtime.open(spec);
    this.#places.set(started, { cwd: spec.cwd, inode });
    return started;
  }

  /** Whether there is nothing to enter: that costs a cell. */
  #isAt(warm: Interpreter, { cwd, env }: InterpreterSpec): boolean {
    const place = this.#places.get(warm);
    return place?.cwd === cwd && Object.keys(env).length === 0 && place.inode === inodeOf(cwd);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#filling;
    await Promise.all(this.#pools.map(({ pool }) => pool[Symbol.asyncDispose]()));
  }

  async #open(catalogue: LanguageCatalogue, sizes: readonly PoolSize[]): Promise<void> {
    for (const { language, size } of sizes) {
      if (size === 0) continue;
      const { runtime, ...served } = await catalogue.resolve({ language });
      const identity = this.#processes.runContext.identityOf(undefined);
      const spec = { ...served, identity, cwd: this.#processes.runContext.homeOf(identity), env: {}, isWarm: true };
      const pool = new WarmPool(size, () => this.#start(runtime, spec), this.#logger);
      this.#pools = [...this.#pools, { runtime, spec, pool }];
      pool.fill();
    }
  }
}

/** What a name of a directory stands for; undefined if it is not there. */
function inodeOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

function fits(warm: InterpreterSpec, wanted: InterpreterSpec): boolean {
  return warm.variant === wanted.variant && sameRights(warm.identity, wanted.identity);
}
