import type { Logger } from '@sandbox/program/logger.ts';
import { OptionError } from '@sandbox/program/options.ts';
import { readSmallFile, versionOf } from '../files/small-file.ts';

const MAX_BYTES = 64 * 1024;
/** What a header can carry as a credential. */
const SECRET = /^[\x21-\x7e]+$/;

/** A file that holds one secret, such as the key. */
export interface SecretFileTerms {
  /** The option that names the file, as in `SVC_API_KEY_FILE (--api-key-file)`. */
  readonly option: string;
  readonly path: string;
  /** What the file is to hold, in one word. */
  readonly holds: string;
}

/** @throws OptionError if the file cannot be read or does not hold one line of visible ASCII */
export function readSecret({ option, path, holds }: SecretFileTerms): string {
  let text: string;
  try {
    text = readSmallFile(path, MAX_BYTES).trim();
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new OptionError(`${option}: ${path} cannot be read (${reason})`);
  }
  if (SECRET.test(text)) return text;
  throw new OptionError(`${option}: ${path} holds no ${holds}: expected one line of visible ASCII`);
}

/** Why the file gives no secret now; undefined if it does. */
export function unreadable(terms: SecretFileTerms): string | undefined {
  try {
    readSecret(terms);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A secret that is read again when its file was changed or replaced. */
export class SecretFile {
  readonly #terms: SecretFileTerms;
  readonly #logger: Logger;
  #version: string | undefined;
  #secret: string | undefined;

  constructor(terms: SecretFileTerms, logger: Logger) {
    this.#terms = terms;
    this.#logger = logger;
  }

  /** The last secret that the file held: a file that is gone or empty for a moment opens nothing. */
  current(): string | undefined {
    const version = this.#look();
    if (version === undefined || version === this.#version) return this.#secret;
    this.#version = version;
    try {
      this.#secret = readSecret(this.#terms);
    } catch (error) {
      this.#logger.warn({ reason: String(error) }, `the ${this.#terms.holds} of before stays valid`);
    }
    return this.#secret;
  }

  #look(): string | undefined {
    try {
      return versionOf(this.#terms.path);
    } catch {
      return undefined;
    }
  }
}
