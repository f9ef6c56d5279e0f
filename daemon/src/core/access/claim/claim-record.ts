import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { replaceFile } from '../../records/replace-file.ts';

/** What the caller gave to a sandbox of a pool. */
export interface Claim {
  readonly apiKey: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly allowedOrigins: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly claimedAt: string;
  /** SHA-256 of the token that claimed the sandbox, whose file may be removed; undefined for another credential. */
  readonly tokenDigest?: string | undefined;
}

/** A claim as it is asked for. */
export type ClaimTerms = Omit<Claim, 'claimedAt' | 'tokenDigest'>;

/** The claim of a sandbox in its runtime directory, if a restarted daemon finds it. Only the daemon may read it. */
export class ClaimRecord {
  readonly #path: string;
  readonly #next: string;
  /** Says that the sandbox was claimed, should the record be lost. */
  readonly #marker: string;

  constructor(directory: string) {
    this.#path = join(directory, 'claim.json');
    this.#next = `${this.#path}.next`;
    this.#marker = join(directory, 'claimed');
  }

  /** The paths that the record has while it is written and afterwards. */
  get files(): readonly string[] {
    return [this.#next, this.#path];
  }

  /** @throws Error in one line if there is a record that cannot be read: the sandbox must not serve as unclaimed */
  read(): Claim | undefined {
    if (!existsSync(this.#path)) {
      if (!existsSync(this.#marker)) return undefined;
      throw new Error(`the sandbox was claimed, and its claim ${this.#path} is lost: take another sandbox`);
    }
    try {
      const claim = JSON.parse(readFileSync(this.#path, 'utf8')) as Claim;
      const { apiKey, env, allowedOrigins, labels, claimedAt, tokenDigest } = claim;
      if (!Array.isArray(allowedOrigins) || [env, labels].some((map) => typeof map !== 'object')) {
        throw new Error('a field is missing');
      }
      return { apiKey, env, allowedOrigins, labels, claimedAt, tokenDigest };
    } catch (error) {
      throw new Error(`cannot read the claim ${this.#path}: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** When it returns, the claim is on the disk. @throws SandboxError `unavailable` */
  write(claim: Claim): void {
    try {
      replaceFile(this.#path, JSON.stringify(claim), { sync: true });
      replaceFile(this.#marker, '', { sync: true });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new SandboxError('unavailable', `the claim cannot be written down: ${reason}`, {
        hint: 'free some space under SVC_RUNTIME_DIR and claim again',
      });
    }
  }
}
