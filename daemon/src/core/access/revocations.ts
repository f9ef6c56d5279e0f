import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import type { AgeClock } from '../clock/age-clock.ts';
import { replaceFile } from '../records/replace-file.ts';

/** Ids that are kept at once; each is kept until the credential would have ended by itself. */
const MAX_IDS = 20_000;

/** Tickets and cookies that were withdrawn before their end, also by a daemon of before. */
export class Revocations {
  readonly #path: string;
  readonly #clock: AgeClock;
  readonly #logger: Logger;
  /** By id: the tick from which it need not be known any more. */
  readonly #until = new Map<string, number>();
  #version = 0;

  constructor(directory: string, clock: AgeClock, logger: Logger) {
    this.#path = join(directory, 'revoked.json');
    this.#clock = clock;
    this.#logger = logger;
    for (const [id, until] of this.#read()) this.#until.set(id, until);
  }

  /** Grows with each revocation. */
  get version(): number {
    return this.#version;
  }

  get ids(): readonly string[] {
    return [...this.#until.keys()];
  }

  hasAny(ids: readonly string[]): boolean {
    return this.#until.size > 0 && ids.some((id) => this.#until.has(id));
  }

  /**
   * From now on nothing is admitted by this credential. When it returns, that outlives the daemon.
   * @param until tick from which the credential is void anyway
   * @throws SandboxError `capacity`, or `unavailable` if it holds for this daemon alone
   */
  add(id: string, until: number): void {
    this.#forgetEnded();
    if (this.#until.size >= MAX_IDS && !this.#until.has(id)) {
      throw new SandboxError('capacity', `${MAX_IDS} credentials are withdrawn already`, {
        hint: 'replace the key: this withdraws all of its tickets and cookies',
      });
    }
    this.#until.set(id, until);
    this.#version += 1;
    try {
      replaceFile(this.#path, JSON.stringify([...this.#until]), { sync: true });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new SandboxError('unavailable', `it is withdrawn, but a restarted daemon will not know it: ${reason}`, {
        hint: 'free some space under SVC_RUNTIME_DIR and repeat the call',
      });
    }
  }

  #forgetEnded(): void {
    const now = this.#clock.now();
    for (const [id, until] of this.#until) if (until <= now) this.#until.delete(id);
  }

  #read(): [string, number][] {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch {
      return [];
    }
    try {
      const list = JSON.parse(text) as unknown[];
      return list.filter((entry): entry is [string, number] => isEntry(entry));
    } catch (error) {
      this.#logger.error({ err: error }, `cannot read ${this.#path}: cookies that were signed out are valid again`);
      return [];
    }
  }
}

function isEntry(entry: unknown): boolean {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'number';
}
