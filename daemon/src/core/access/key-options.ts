import type { CoreConfig } from '../config.ts';
import { readSecret, type SecretFileTerms } from './secret-file.ts';
import { wasSeen } from './seen-secrets.ts';

type KeyOptions = Pick<CoreConfig, 'apiKey' | 'apiKeyFile' | 'claimTokenFile' | 'runtimeDir'>;

export function keyFileTerms(path: string): SecretFileTerms {
  return { option: 'SVC_API_KEY_FILE (--api-key-file)', path, holds: 'key' };
}

export function claimTokenTerms(path: string): SecretFileTerms {
  return { option: 'SVC_CLAIM_TOKEN_FILE (--claim-token-file)', path, holds: 'token' };
}

/**
 * The key at boot. `apiKeyFile` is left only if the key is to be read from it, now and when it changes. A sandbox
 * that waits for its claim may wait for the file too, and so may a restart: the service is closed until then.
 * @throws OptionError if the file holds no key at a first start
 */
export function keyOptions({ apiKey, apiKeyFile, claimTokenFile, runtimeDir }: KeyOptions): {
  readonly apiKey: string | undefined;
  readonly apiKeyFile: string | undefined;
} {
  if (apiKey !== undefined || apiKeyFile === undefined) return { apiKey, apiKeyFile: undefined };
  try {
    return { apiKey: readSecret(keyFileTerms(apiKeyFile)), apiKeyFile };
  } catch (error) {
    if (claimTokenFile === undefined && !wasSeen(runtimeDir, apiKeyFile)) throw error;
    return { apiKey: undefined, apiKeyFile };
  }
}
