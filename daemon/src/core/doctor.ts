import { accessSync, constants } from 'node:fs';
import { CONNECTIONS_PER_ADDRESS, connectionsPerAddress } from '@sandbox/program/service-options.ts';
import { readAccessKeys } from './access/access-keys.ts';
import { forgetsClaim } from './access/claim/claim-credential.ts';
import { claimTokenTerms, keyFileTerms } from './access/key-options.ts';
import { type SecretFileTerms, unreadable } from './access/secret-file.ts';
import { lookUpIdentity } from './account/identity.ts';
import { type CoreConfig, inheritedEnvironment } from './config.ts';
import { readEnvDirectory } from './environment/env-directory.ts';
import { errnoName } from './errno-name.ts';
import type { Finding } from './finding.ts';
import { checkMemory } from './memory/check-memory.ts';
import { SILENT_HINT } from './process/keeper/keeper-connection.ts';
import { isKeeperSilent } from './process/keeper/keeper-launch.ts';
import { keeperProgram, treeProgram } from './process/keeper/keeper-program.ts';
import type { Requirement } from './requirement.ts';

export interface Check extends Finding {
  readonly required: boolean;
}

/** Examines this machine: what is there for the service, and how to get what is missing. */
export async function examine(config: CoreConfig, requirements: readonly Requirement[]): Promise<Check[]> {
  const checks = requirements.map(async ({ required, check }) => ({ ...(await check()), required }));
  return [
    ...(await Promise.all(checks)),
    await checkProcessHost(config),
    ...checkTrees(config),
    checkRuntimeDir(config.runtimeDir),
    ...checkDefaultUser(config.defaultUser),
    ...secretFiles(config).map(checkSecretFile),
    ...checkAccessKeys(config.accessKeysFile),
    { ...checkMemory(config.memoryGuard), required: false },
    ...checkPool(config),
    ...checkEnvDir(config.envDir),
    checkConnections(inheritedEnvironment()[CONNECTIONS_PER_ADDRESS]),
  ];
}

/** Without a keeper the portable host serves, whose commands end with the daemon. */
async function checkProcessHost({ processHost, keeperProgram: given, runtimeDir }: CoreConfig): Promise<Check> {
  const name = 'process keeper';
  const required = processHost === 'keeper' || given !== undefined;
  if (processHost === 'portable') return { name, ok: true, required, detail: 'not wanted: SVC_PROCESS_HOST=portable' };
  if (await isKeeperSilent(runtimeDir)) {
    return { name, ok: false, required, detail: `the one in ${runtimeDir} does not answer`, hint: SILENT_HINT };
  }
  if (processHost === 'supervised') return { name, ok: true, required, detail: 'started by something else' };
  const { path, isThere } = keeperProgram(given);
  if (isThere) return { name, ok: true, required, detail: path };
  const detail = `none at ${path}: commands end with the daemon, and their usage is not known`;
  return { name, ok: false, required, detail, hint: 'apt-get install gcc libc6-dev, then npm run build' };
}

/** The program is for Linux. */
function checkTrees({ keeperProgram: given }: CoreConfig): Check[] {
  if (process.platform !== 'linux') return [];
  const name = 'checkpoints';
  const { path, isThere } = treeProgram(given);
  if (isThere) return [{ name, ok: true, required: false, detail: path }];
  const detail = `none at ${path}: the calls of checkpoints answer 501`;
  return [{ name, ok: false, required: false, detail, hint: 'apt-get install gcc libc6-dev, then npm run build' }];
}

function checkRuntimeDir(path: string): Check {
  const name = 'runtime directory';
  for (let place = path; ; place = place.slice(0, place.lastIndexOf('/')) || '/') {
    try {
      accessSync(place, constants.W_OK);
      return { name, ok: true, required: true, detail: path };
    } catch (error) {
      const isMissing = errnoName(error) === 'ENOENT';
      if (!isMissing || place === '/') {
        return {
          name,
          ok: false,
          required: true,
          detail: `${place} cannot be written`,
          hint: 'point SVC_RUNTIME_DIR elsewhere',
        };
      }
    }
  }
}

function secretFiles({ apiKeyFile, claimTokenFile }: CoreConfig): SecretFileTerms[] {
  return [
    ...(apiKeyFile === undefined ? [] : [keyFileTerms(apiKeyFile)]),
    ...(claimTokenFile === undefined ? [] : [claimTokenTerms(claimTokenFile)]),
  ];
}

/** A file that was there before: without it a restarted service is closed. */
function checkSecretFile(terms: SecretFileTerms): Check {
  const name = `file of the ${terms.holds}`;
  const detail = unreadable(terms);
  if (detail === undefined) return { name, ok: true, required: true, detail: terms.path };
  return { name, ok: false, required: true, detail, hint: 'restore the file; until then the service answers 401' };
}

/** A file with a fault changes nothing in a daemon that has read it; one that starts admits no named key. */
function checkAccessKeys(path: string | undefined): Check[] {
  if (path === undefined) return [];
  const name = 'file of access keys';
  try {
    const keys = readAccessKeys(path);
    return [{ name, ok: true, required: true, detail: `${path}: ${keys.length} keys` }];
  } catch (error) {
    const detail = `${path}: ${error instanceof Error ? error.message : error}`;
    const hint = 'write each key as a JSON object in a line of its own; docs/security.md has the fields';
    return [{ name, ok: false, required: true, detail, hint }];
  }
}

/** A sandbox of a pool whose claim is lost with its container could be claimed by another caller. */
function checkPool(config: CoreConfig): Check[] {
  const { claimTokenFile, claimPublicKeyFile, runtimeDir } = config;
  if (claimTokenFile === undefined && claimPublicKeyFile === undefined) return [];
  const name = 'claim of the sandbox';
  const how = forgetsClaim(config, runtimeDir);
  if (how === 'no') return [{ name, ok: true, required: false, detail: `kept on the mount of ${runtimeDir}` }];
  const required = how === 'refused';
  const detail = `${required ? 'refused' : 'forgotten by a restart of the container'}: no mount holds ${runtimeDir}`;
  return [{ name, ok: false, required, detail, hint: `mount a volume at ${runtimeDir}` }];
}

/** A variable that is too long would let no process start: it is left out. */
function checkEnvDir(path: string | undefined): Check[] {
  if (path === undefined) return [];
  const name = 'environment files';
  const { variables, leftOut } = readEnvDirectory(path);
  const [first] = leftOut;
  if (first === undefined) {
    return [{ name, ok: true, required: false, detail: `${Object.keys(variables).length} variables in ${path}` }];
  }
  const where = first.variable === undefined ? first.file : `${first.variable} of ${first.file}`;
  const detail = `${leftOut.length} left out of ${path}: ${where}: ${first.reason}`;
  return [{ name, ok: false, required: false, detail, hint: 'shorten the value, or give the program a file' }];
}

/** The share of one address in the connections of the gateway, which has the option of the same environment. */
function checkConnections(given: string | undefined): Check {
  const name = 'connections of one address';
  const { success, data } = connectionsPerAddress().safeParse(given || undefined);
  if (!success) {
    const detail = `${CONNECTIONS_PER_ADDRESS} is ${JSON.stringify(given?.slice(0, 100))}: the gateway does not start`;
    return { name, ok: false, required: true, detail, hint: 'set a whole number from 0 to 4096, or none' };
  }
  const detail =
    data === 0
      ? `no limit: one address without a valid credential can take all (${CONNECTIONS_PER_ADDRESS}=0)`
      : `${data} without a valid credential (${CONNECTIONS_PER_ADDRESS})`;
  return { name, ok: true, required: false, detail };
}

function checkDefaultUser(user: string | undefined): Check[] {
  if (user === undefined) return [];
  const name = 'default user';
  try {
    return [{ name, ok: true, required: true, detail: `${user}, home ${lookUpIdentity(user).home}` }];
  } catch (error) {
    return [
      {
        name,
        ok: false,
        required: true,
        detail: error instanceof Error ? error.message : String(error),
        hint: 'correct SVC_DEFAULT_USER',
      },
    ];
  }
}
