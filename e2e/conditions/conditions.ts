import { join } from 'node:path';
import { ROOT } from '../../scripts/root.ts';

/** The conditions under which platforms run the images: a value of each axis. */
export interface Condition {
  readonly user: string;
  readonly rights: string;
  readonly files: string;
  readonly memory: string;
  readonly proxy: string;
}

/** What one value adds to `docker run`. */
interface Options {
  /** How the row of docs/operations.md begins that says what works with it. */
  readonly row: string;
  readonly args?: (condition: Condition) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const AS_ROOT = 'as root, with the capabilities of `compose.yaml`';
const UNLIMITED = '1 GiB of memory, or no limit';
const PROXY = 'a proxy (';
const DEAD_PROXY = 'http://127.0.0.1:9';
const PROFILE = join(ROOT, 'images/seccomp.json');
const HARDENED = ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

/** The user id that a condition starts the container with; undefined for that of the image. */
function idOf({ user }: Condition): string | undefined {
  const id = USERS[user];
  if (id === undefined) throw new Error(`unknown user ${user}`);
  return id === '' ? undefined : id.split(':')[0];
}

const USERS: Readonly<Record<string, string>> = {
  default: '',
  1000: '1000',
  'any id, group 0': '1000680000:0',
  'any id and group': '1234:4321',
  root: '0:0',
};

function rowOfUser(id: string): string {
  if (id === '' || id === '0:0') return AS_ROOT;
  return id === '1000' ? '`--user 1000`' : '`--user ID:0`, `--user ID:GID`';
}

/** docs/operations.md: a tmpfs for what the services write. */
function readOnly(condition: Condition): readonly string[] {
  const id = idOf(condition) ?? '0';
  const run = id === '0' ? '/run' : '/run/svc';
  const home = id === '0' ? '/home/sandbox:exec' : `/home/sandbox:exec,uid=${id}`;
  return ['--read-only', ...['/tmp:exec', run, '/var/lib/svc', home].flatMap((place) => ['--tmpfs', place])];
}

/** A volume in memory; `--tmpfs` would take over the mode of the image's directory. */
const FOREIGN_HOME = [
  'type=volume,dst=/home/sandbox,volume-nocopy=true',
  'volume-driver=local,volume-opt=type=tmpfs,volume-opt=device=tmpfs,"volume-opt=o=uid=4711,gid=4711,mode=1777"',
].join(',');

export const AXES: { readonly [Axis in keyof Condition]: Readonly<Record<string, Options>> } = {
  user: Object.fromEntries(
    Object.entries(USERS).map(([name, id]) => [
      name,
      { row: rowOfUser(id), ...(id !== '' && { args: () => ['--user', id] }) },
    ]),
  ),
  rights: {
    default: { row: AS_ROOT },
    'cap-drop ALL, no-new-privileges': { row: 'root with `--cap-drop ALL`', args: () => HARDENED },
    'RuntimeDefault, no-new-privileges': {
      row: "the engine's seccomp profile (`RuntimeDefault`)",
      args: () => ['--security-opt', 'no-new-privileges'],
    },
    'profile of the image': {
      row: '`seccomp=images/seccomp.json`',
      args: () => ['--security-opt', `seccomp=${PROFILE}`],
    },
  },
  files: {
    writable: { row: AS_ROOT },
    'read-only with tmpfs': { row: '`--read-only` with the tmpfs', args: readOnly },
    // One that the account cannot write ends the boot ([images.home-refused]).
    'home of another owner': { row: 'a mounted home of another owner', args: () => ['--mount', FOREIGN_HOME] },
    'noexec /tmp': { row: '`--tmpfs /tmp:noexec`', args: () => ['--tmpfs', '/tmp:noexec'] },
  },
  memory: {
    '512 MiB': { row: '512 MiB of memory', args: () => ['--memory', '512m', '--memory-swap', '512m'] },
    '1 GiB': { row: UNLIMITED, args: () => ['--memory', '1g', '--memory-swap', '1g'] },
    none: { row: UNLIMITED },
  },
  proxy: {
    none: { row: AS_ROOT },
    with: { row: PROXY, env: { PROXY_SERVER: DEAD_PROXY } },
    'with a password': { row: PROXY, env: { PROXY_SERVER: 'http://user:secret@127.0.0.1:9' } },
    'upper case': { row: PROXY, env: { HTTP_PROXY: DEAD_PROXY, HTTPS_PROXY: DEAD_PROXY } },
  },
};

/** Arguments of `docker run` for a condition. */
export function argumentsOf(condition: Condition): string[] {
  const chosen = Object.entries(condition).map(([axis, value]) => {
    const options = AXES[axis as keyof Condition][value];
    if (!options) throw new Error(`unknown value of ${axis}: ${value}`);
    return options;
  });
  return chosen.flatMap(({ args, env = {} }) => [
    ...(args?.(condition) ?? []),
    ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
  ]);
}
