import { createHash, timingSafeEqual } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { OptionError } from '@sandbox/program/options.ts';
import type { CoreConfig } from '../../config.ts';
import { claimTokenTerms } from '../key-options.ts';
import { readSecret } from '../secret-file.ts';
import { readClaimKey, requireBody, verifiedStatement } from './claim-statement.ts';
import { isMounted, isOfContainer } from './durable-directory.ts';

export type ClaimOptions = Pick<
  CoreConfig,
  'claimTokenFile' | 'claimPublicKeyFile' | 'claimAgain' | 'podUid' | 'kubernetes'
>;

/** What a claim has to show. */
export interface ClaimProof {
  readonly credential: string | undefined;
  /** The SHA-256 of the request body in hexadecimal digits; undefined before the body is read. */
  readonly bodyDigest: string | undefined;
}

/** Who may claim the sandbox: the holder of a token, or of the private key that signs statements about this pod. */
export class ClaimCredential {
  readonly #options: ClaimOptions;
  readonly #directory: string;
  readonly #logger: Logger;
  readonly #startedAt = Date.now();

  /** @param directory the runtime directory */
  constructor(options: ClaimOptions, directory: string, logger: Logger) {
    this.#options = options;
    this.#directory = directory;
    this.#logger = logger;
  }

  /** Whether the sandbox takes a claim. */
  get isOfPool(): boolean {
    return this.#options.claimTokenFile !== undefined || this.#options.claimPublicKeyFile !== undefined;
  }

  /** @throws OptionError if a statement could never be checked */
  requireOptions(): void {
    const { claimTokenFile, claimPublicKeyFile, podUid } = this.#options;
    if (claimPublicKeyFile === undefined) return;
    if (claimTokenFile !== undefined) {
      throw new OptionError('SVC_CLAIM_PUBLIC_KEY_FILE, SVC_CLAIM_TOKEN_FILE: expected one of the two');
    }
    if (podUid === undefined) throw new OptionError('SVC_CLAIM_PUBLIC_KEY_FILE: needs SVC_POD_UID, which is not set');
    readClaimKey(claimPublicKeyFile);
  }

  /**
   * @param used digest of the token that claimed the sandbox, whose file may be gone
   * @throws SandboxError `unauthorized`
   */
  requireProof({ credential, bodyDigest }: ClaimProof, used: string | undefined): void {
    const { claimTokenFile, claimPublicKeyFile, podUid = '' } = this.#options;
    if (claimPublicKeyFile !== undefined) {
      const key = this.#read(() => readClaimKey(claimPublicKeyFile));
      const place = { podUid, host: hostname(), startedAt: this.#startedAt };
      const statement = verifiedStatement(credential ?? '', key, place);
      if (bodyDigest !== undefined) requireBody(statement, bodyDigest);
      return;
    }
    if (claimTokenFile === undefined) {
      const hint = 'neither SVC_CLAIM_TOKEN_FILE nor SVC_CLAIM_PUBLIC_KEY_FILE is set';
      throw new SandboxError('unauthorized', 'the sandbox takes no claim', { hint });
    }
    const expected = used ?? digest(this.#read(() => readSecret(claimTokenTerms(claimTokenFile))));
    const isRight = credential !== undefined && timingSafeEqual(Buffer.from(digest(credential)), Buffer.from(expected));
    if (!isRight) throw wrongToken();
  }

  /** @throws SandboxError `unavailable` if a restart of the container would forget the claim */
  requireDurable(): void {
    if (forgetsClaim(this.#options, this.#directory) !== 'refused') return;
    throw new SandboxError('unavailable', 'no durable directory: a restarted container could be claimed again', {
      hint: `mount a volume at ${this.#directory} (SVC_RUNTIME_DIR), or set SVC_CLAIM_AGAIN=true`,
    });
  }

  /** The token as long as it can be read. */
  get token(): string | undefined {
    const { claimTokenFile } = this.#options;
    if (claimTokenFile === undefined) return undefined;
    try {
      return readSecret(claimTokenTerms(claimTokenFile));
    } catch {
      return undefined;
    }
  }

  /**
   * Removes the token of a claimed sandbox, which would claim others of the pool. A mount belongs to the operator.
   */
  discardToken(): void {
    const { claimTokenFile } = this.#options;
    if (claimTokenFile === undefined || !isOfContainer(claimTokenFile)) return;
    try {
      unlinkSync(claimTokenFile);
    } catch (error) {
      this.#logger.warn({ err: error }, 'the claim token cannot be removed: root of the sandbox can read it');
    }
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      this.#logger.error({ reason: String(error) }, 'no claim can be checked');
      throw wrongToken();
    }
  }
}

/**
 * Whether a restart of the container forgets the claim of a pool, and whether the claim is refused for that: with a signed
 * claim, or under Kubernetes, which restarts containers by itself.
 */
export function forgetsClaim(options: ClaimOptions, runtimeDir: string): 'no' | 'possibly' | 'refused' {
  if (isMounted(runtimeDir)) return 'no';
  const { claimPublicKeyFile, kubernetes, claimAgain } = options;
  return (claimPublicKeyFile !== undefined || kubernetes !== undefined) && !claimAgain ? 'refused' : 'possibly';
}

/** The SHA-256 of a token: digests have one length, so that the comparison takes the same time for each token. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function wrongToken(): SandboxError {
  return new SandboxError('unauthorized', 'missing or wrong claim token', {
    hint: 'send the token of SVC_CLAIM_TOKEN_FILE as "Authorization: Bearer <token>"',
  });
}
