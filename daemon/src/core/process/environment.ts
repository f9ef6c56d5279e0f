import { delimiter, isAbsolute, join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { MEMORY_SETTINGS } from '@sandbox/program/memory/memory-settings.ts';
import type { Identity } from '../account/identity.ts';
import { requireExecutable } from './exec-limits.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The variable that marks the processes of a command, so that they can be found. */
export const COMMAND_ID_VARIABLE = 'SVC_COMMAND_ID';

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const PRODUCT = /^(SVC_|GATEWAY_|RUN_HOOK_|SUPERVISOR_|SANDBOX_API_KEY$|JWT_PUBLIC_KEY$)/;
const NODE = /^NODE_(COMPILE_CACHE|CHANNEL_FD|CHANNEL_SERIALIZATION_MODE|UNIQUE_ID)$/;
/** Set by the shell that started the daemon, about itself. */
const SHELL_STATE = /^(PWD|OLDPWD|_)$/;
const NPM = /^npm_/;
const NPM_TOO = /^(INIT_CWD|NODE|COLOR)$/;
const NPM_PATH_ENTRY = /[\\/](node_modules[\\/]\.bin|node-gyp-bin)$/;
/** Values that npm sets as EDITOR by default. */
const NPM_EDITORS = /^(vi|.*\\notepad\.exe)$/;

export interface EnvironmentSpec {
  /** The environment of the daemon. */
  readonly inherited: Variables;
  readonly identity: Identity;
  /** Becomes SVC_COMMAND_ID. */
  readonly commandId: string;
  /** The account of the daemon, whose PATH is inherited. */
  readonly ownUid?: number | undefined;
  /** The session's variables, then the call's: they may name anything but SVC_COMMAND_ID, and the later wins. */
  readonly given?: readonly Variables[];
}

/**
 * The whole environment of a child: that of the container without the variables that the product, npm, node and the
 * supervisor set for themselves, then the variables of the account, then those of the caller.
 * @throws SandboxError `invalid` for a name or value that an environment cannot contain, `unprocessable` for one that
 * is too long for the kernel
 */
export function childEnvironment({
  inherited,
  identity,
  commandId,
  ownUid = process.getuid?.(),
  given = [],
}: EnvironmentSpec): Record<string, string> {
  const { PATH: path = DEFAULT_PATH, ...kept } = keptOnce(inherited);
  const env: Record<string, string> = {
    ...kept,
    PATH: identity.uid === ownUid ? path : withOwnPrograms(path, identity),
    HOME: identity.home,
    USER: identity.name,
    LOGNAME: identity.name,
    SHELL: identity.shell,
    LANG: inherited['LANG'] || 'C.UTF-8',
    TERM: 'dumb',
    // Without it a bash with a socket as stdin assumes that rshd has started it and reads ~/.bashrc.
    SHLVL: '1',
  };
  for (const [name, value] of given.flatMap((variables) => Object.entries(variables))) {
    if (value === undefined) continue;
    requireValid(name, value);
    env[name] = value;
  }
  env[COMMAND_ID_VARIABLE] = commandId;
  if (given.length > 0) requireExecutable({ env });
  return env;
}

/** As a login of the account does it: what it installs for itself comes first. The daemon never looks there. */
function withOwnPrograms(path: string, { home }: Identity): string {
  const own = join(home, '.local', 'bin');
  return path.split(delimiter).includes(own) ? path : `${own}${delimiter}${path}`;
}

/** Whether the service keeps a variable of that name from every process that it starts. */
export function isProductVariable(name: string): boolean {
  return PRODUCT.test(name);
}

/** By the environment that they inherit, which is the same object as long as nothing changed. */
const keptOf = new WeakMap<Variables, Record<string, string>>();

function keptOnce(inherited: Variables): Record<string, string> {
  const known = keptOf.get(inherited);
  if (known !== undefined) return known;
  const env = kept(inherited);
  keptOf.set(inherited, env);
  return env;
}

function kept(inherited: Variables): Record<string, string> {
  const underNpm = Object.keys(inherited).some((name) => NPM.test(name));
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined || PRODUCT.test(name) || NODE.test(name) || SHELL_STATE.test(name)) continue;
    if (name === 'GLIBC_TUNABLES' && value === MEMORY_SETTINGS.GLIBC_TUNABLES) continue;
    if (underNpm && setByNpm(name, value, inherited)) continue;
    env[name] = value;
  }
  const path = underNpm ? withoutNpm(env['PATH'] ?? '') : env['PATH'];
  env['PATH'] = path || DEFAULT_PATH;
  return env;
}

function setByNpm(name: string, value: string, inherited: Variables): boolean {
  if (name === 'EDITOR') return value === inherited['npm_config_editor'] || NPM_EDITORS.test(value);
  return NPM.test(name) || NPM_TOO.test(name);
}

function withoutNpm(path: string): string {
  return path
    .split(delimiter)
    .filter((entry) => !(isAbsolute(entry) && NPM_PATH_ENTRY.test(entry)))
    .join(delimiter);
}

function requireValid(name: string, value: string): void {
  if (name !== '' && !/[=\0]/.test(name) && !value.includes('\0')) return;
  throw new SandboxError('invalid', `not a valid environment variable: ${JSON.stringify(name)}`, {
    hint: 'a name is not empty and has no "=", and neither name nor value has a NUL',
  });
}
