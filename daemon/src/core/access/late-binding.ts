import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { concealSecret, type Logger } from '@sandbox/program/logger.ts';
import type { CoreConfig } from '../config.ts';
import { Recorder } from '../recorder/recorder.ts';
import { type AccessKey, AccessKeys, cookieSecret, cookieSecretPath } from './access-keys.ts';
import { reservePaths } from './caller.ts';
import { ClaimCredential, type ClaimOptions, type ClaimProof, digest } from './claim/claim-credential.ts';
import { type Claim, ClaimRecord, type ClaimTerms } from './claim/claim-record.ts';
import { type Credential, keyIdIn, keyIdOf, OPEN } from './credential.ts';
import { withholdCredentials } from './credential-files.ts';
import { claimTokenTerms, keyFileTerms } from './key-options.ts';
import { readSecret, SecretFile, type SecretFileTerms, unreadable } from './secret-file.ts';
import { noteSeen, wasSeen } from './seen-secrets.ts';

/** Who gets in, as of now. */
export interface AccessTerms {
  readonly apiKey: string | undefined;
  /** Keys with names; undefined if the option for them is not set. */
  readonly named: { readonly keys: readonly AccessKey[]; readonly cookieSecret: Buffer } | undefined;
  readonly allowedOrigins: readonly string[];
  /** Why nothing but the public paths is served; undefined if requests are judged by the key. */
  readonly locked: 'unclaimed' | 'no_key' | undefined;
}

const validKeys = new WeakMap<AccessTerms, ReadonlyMap<string, Credential>>();

/** The credentials of the keys that are valid, by the ids of the keys; of a service without a key `OPEN`. */
export function validKeysOf(terms: AccessTerms): ReadonlyMap<string, Credential> {
  const known = validKeys.get(terms);
  if (known) return known;
  const { apiKey, named } = terms;
  const own = apiKey === undefined ? [] : [{ ids: [keyIdOf(apiKey)] }];
  const all = apiKey === undefined && named === undefined ? [OPEN] : own;
  const credentials = [...all, ...(named?.keys.map(({ credential }) => credential) ?? [])];
  const byId = new Map(credentials.map((credential) => [keyIdIn(credential), credential]));
  validKeys.set(terms, byId);
  return byId;
}

type LateOptions = ClaimOptions & Pick<CoreConfig, 'apiKey' | 'apiKeyFile' | 'allowedOrigins' | 'accessKeysFile'>;

/** What a sandbox of a pool gets after its boot: from its claim, and from files that are read again when they change. */
export class LateBinding implements AsyncDisposable {
  readonly #options: LateOptions;
  readonly #directory: string;
  readonly #keyFile: SecretFile | undefined;
  readonly #accessKeys: AccessKeys | undefined;
  readonly #cookieSecret: Buffer;
  readonly #credential: ClaimCredential;
  readonly #record: ClaimRecord;
  readonly #logger: Logger;
  readonly #recorder: Recorder;
  #claim: Claim | undefined;
  #terms: AccessTerms;
  readonly #withheld: Disposable | undefined;

  private constructor(options: LateOptions, directory: string, logger: Logger, recorder: Recorder) {
    this.#recorder = recorder;
    this.#options = options;
    this.#directory = directory;
    this.#logger = logger;
    this.#keyFile =
      options.apiKeyFile === undefined ? undefined : new SecretFile(keyFileTerms(options.apiKeyFile), logger);
    const { accessKeysFile } = options;
    this.#accessKeys = accessKeysFile === undefined ? undefined : new AccessKeys(accessKeysFile, logger);
    this.#cookieSecret = this.#accessKeys ? cookieSecret(directory) : Buffer.alloc(0);
    this.#credential = new ClaimCredential(options, directory, logger);
    this.#record = new ClaimRecord(directory);
    this.#claim = this.#record.read();
    this.#terms = this.#termsNow();
    this.#withheld = this.#withhold();
  }

  /**
   * @param directory the runtime directory
   * @param recorder where changes of the keys and a claim are reported
   * @throws OptionError if the file of the token or of the public key has none at a first start, Error if there is a
   *   claim that cannot be read
   */
  static open(options: LateOptions, directory: string, logger: Logger, recorder = new Recorder()): LateBinding {
    const binding = new LateBinding(options, directory, logger, recorder);
    binding.#openPool();
    if (binding.#terms.locked === 'no_key') binding.#logClosed(keyFileTerms(options.apiKeyFile ?? ''));
    return binding;
  }

  get claimed(): Claim | undefined {
    return this.#claim;
  }

  /** The same object as long as nothing changed. */
  access(): AccessTerms {
    const isOtherKey = this.#keyFile !== undefined && this.#keyNow() !== this.#terms.apiKey;
    const isOther = isOtherKey || this.#accessKeys?.current() !== this.#terms.named?.keys;
    if (!isOther) return this.#terms;
    this.#terms = this.#termsNow();
    const { apiKey, named } = this.#terms;
    const names = named?.keys.map(({ name }) => name);
    this.#recorder.observe('keys.changed', {}, { hasSingleKey: apiKey !== undefined, names });
    return this.#terms;
  }

  /**
   * Claims the sandbox, once. When it returns, the claim is in force and outlives the daemon.
   * @throws SandboxError `unauthorized` for a wrong credential or if the sandbox takes no claim, `unavailable` without a
   *   durable directory, `conflict` after the first
   */
  claim(proof: ClaimProof, given: ClaimTerms): Claim {
    this.requireProof(proof);
    // No other claim comes between this check and the assignment below: nothing waits.
    if (this.#claim !== undefined) {
      throw new SandboxError('conflict', `the sandbox was claimed at ${this.#claim.claimedAt}`, {
        hint: 'take another sandbox from the pool',
      });
    }
    this.#credential.requireDurable();
    const tokenDigest = this.#options.claimTokenFile === undefined ? undefined : digest(proof.credential ?? '');
    const claim = { ...given, claimedAt: new Date().toISOString(), tokenDigest };
    this.#record.write(claim);
    this.#claim = claim;
    this.#terms = this.#termsNow();
    this.#credential.discardToken();
    const withKey = claim.apiKey !== undefined;
    this.#recorder.note('sandbox.claimed', {}, { withKey, labels: claim.labels });
    this.#logger.info({ labels: claim.labels, withKey }, 'the sandbox was claimed');
    return claim;
  }

  /** @throws SandboxError `unauthorized` */
  requireProof(proof: ClaimProof): void {
    this.#credential.requireProof(proof, this.#claim?.tokenDigest);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#withheld?.[Symbol.dispose]();
  }

  #openPool(): void {
    if (this.#claim !== undefined) return;
    this.#credential.requireOptions();
    const { claimTokenFile } = this.#options;
    if (claimTokenFile === undefined) return;
    const terms = claimTokenTerms(claimTokenFile);
    try {
      concealSecret(readSecret(terms));
      this.#noteSeen(claimTokenFile);
    } catch (error) {
      if (!wasSeen(this.#directory, claimTokenFile)) throw error;
      this.#logClosed(terms);
    }
  }

  #logClosed(terms: SecretFileTerms): void {
    this.#logger.error({ reason: unreadable(terms) }, 'the service is closed until the file is back');
  }

  #noteSeen(path: string): void {
    try {
      noteSeen(this.#directory, path);
    } catch (error) {
      this.#logger.warn({ err: error }, `a restart without ${path} will fail: it cannot be noted that it was there`);
    }
  }

  /** Nothing if the service is open and stays so. */
  #withhold(): Disposable | undefined {
    const { apiKey, apiKeyFile, claimTokenFile, accessKeysFile } = this.#options;
    const isOfPool = this.#credential.isOfPool || this.#claim !== undefined;
    if (apiKey === undefined && apiKeyFile === undefined && accessKeysFile === undefined && !isOfPool) return undefined;
    const ofNames = accessKeysFile === undefined ? [] : [accessKeysFile, cookieSecretPath(this.#directory)];
    const files = [apiKeyFile, claimTokenFile, ...ofNames, ...(isOfPool ? this.#record.files : [])];
    const given = files.filter((file) => file !== undefined);
    const ended = new DisposableStack();
    ended.use(reservePaths(() => [this.#directory, ...given].map(realPath)));
    ended.use(
      withholdCredentials({
        files: given,
        values: () => {
          const named = this.#accessKeys?.current().map(({ key }) => key) ?? [];
          return [this.#keyNow(), this.#tokenNow(), ...named].filter((value) => value !== undefined);
        },
      }),
    );
    return ended;
  }

  /** The token as long as it is good for a claim. */
  #tokenNow(): string | undefined {
    return this.#claim === undefined ? this.#credential.token : undefined;
  }

  #keyNow(): string | undefined {
    return this.#claim?.apiKey ?? (this.#keyFile === undefined ? this.#options.apiKey : this.#keyFile.current());
  }

  #termsNow(): AccessTerms {
    const apiKey = this.#keyNow();
    const { apiKeyFile } = this.#options;
    if (apiKeyFile !== undefined && this.#keyFile?.current() !== undefined) this.#noteSeen(apiKeyFile);
    // The logger knows the key of the boot already.
    if (apiKey !== undefined && apiKey !== this.#options.apiKey) concealSecret(apiKey);
    const keys = this.#accessKeys?.current();
    return {
      apiKey,
      named: keys && { keys, cookieSecret: this.#cookieSecret },
      allowedOrigins: [...this.#options.allowedOrigins, ...(this.#claim?.allowedOrigins ?? [])],
      locked: apiKey === undefined && keys === undefined ? this.#lock() : undefined,
    };
  }

  /** A service that had a key is not open without it, also if it was claimed without one. */
  #lock(): AccessTerms['locked'] {
    const { apiKeyFile } = this.#options;
    if (this.#claim === undefined && this.#credential.isOfPool) return 'unclaimed';
    return apiKeyFile !== undefined && wasSeen(this.#directory, apiKeyFile) ? 'no_key' : undefined;
  }
}

/** The path without links, also if it is missing: then it is that of its directory and the name. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
