import type { Logger } from '@sandbox/program/logger.ts';
import type { Claim } from '../access/claim/claim-record.ts';
import { inheritedEnvironment } from '../config.ts';
import { EnvDirectory, type EnvFileVariables } from './env-directory.ts';

/** Variables of the environment that a process is started with. */
type Variables = Readonly<Record<string, string | undefined>>;

const NONE: EnvFileVariables = {};

/**
 * What every process of the sandbox starts from: the environment that the daemon was started with, then the files of
 * SVC_ENV_DIR, then the claim. What runs keeps the environment that it was started with.
 */
export class RunEnvironment {
  readonly #inherited: Variables;
  readonly #directory: EnvDirectory | undefined;
  readonly #claimed: () => Claim | undefined;
  #from: { readonly files: EnvFileVariables; readonly claim: Claim | undefined } | undefined;
  #variables: Variables = {};

  constructor(
    { envDir }: { readonly envDir: string | undefined },
    claimed: () => Claim | undefined,
    logger: Logger,
    inherited: Variables = inheritedEnvironment(),
  ) {
    this.#inherited = { ...inherited };
    this.#directory = envDir === undefined ? undefined : new EnvDirectory(envDir, logger);
    this.#claimed = claimed;
  }

  /** The same object as long as nothing changed. */
  current(): Variables {
    const files = this.#directory?.current() ?? NONE;
    const claim = this.#claimed();
    if (this.#from?.files !== files || this.#from.claim !== claim) {
      this.#from = { files, claim };
      this.#variables = { ...this.#inherited, ...files, ...claim?.env };
    }
    return this.#variables;
  }
}
