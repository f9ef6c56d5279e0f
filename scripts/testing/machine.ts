import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { homedir, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { canDivideGroups } from '../../daemon/src/core/process/keeper/command-group.fixture.ts';
import { MemoryGroup } from '../../daemon/src/memory-group.fixture.ts';
import { localImage } from '../images/image-names.ts';

const isLinux = process.platform === 'linux';
const isRoot = isLinux && process.getuid?.() === 0;

/** The Python that runs a Jupyter server for tests. */
const JUPYTER_PYTHON = process.env['TEST_JUPYTER_PYTHON'] ?? '/usr/bin/python3';

/** The windows of tests are made with it, and accessibility is served by the bus of at-spi2-core. */
const IMPORT_GTK = "import gi, os; gi.require_version('Gtk', '3.0'); os.stat('/usr/libexec/at-spi-bus-launcher')";

/** Properties that a machine may lack, by name; the only reasons to skip a test. */
const PROBES = {
  linux: () => isLinux,
  root: () => isRoot,
  mounts: () => isRoot && canMount(),
  'memory limits': () => canLimitMemory(),
  'command groups': () => isRoot && canDivideGroups(),
  'mounts of its own': () => succeeds('unshare', '-Urm', 'mount', '--bind', '/etc/hostname', '/etc/hosts'),
  'user namespaces': () => succeeds('unshare', '-Ur', 'sh', '-c', 'echo 100 > /proc/sys/user/max_inotify_watches'),
  'IPv6 loopback': () =>
    Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1')),
  compiler: () => isLinux && anyCompiler() !== undefined,
  cc: () => succeeds('cc', '--version'),
  gcc: () => succeeds('gcc', '--version'),
  clang: () => succeeds('clang', '--version'),
  'musl-gcc': () => succeeds('musl-gcc', '--version'),
  sanitizers: () => isLinux && canSanitize(),
  ripgrep: () => isOnPath('rg'),
  tmux: () => isOnPath('tmux'),
  zsh: () => isOnPath('zsh'),
  vim: () => isOnPath('vim'),
  less: () => isOnPath('less'),
  htop: () => isOnPath('htop'),
  python3: () => isOnPath('python3'),
  pyenv: () => existsSync(join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions')),
  'PEP 668': () => succeeds('sh', '-c', 'ls /usr/lib/python3*/EXTERNALLY-MANAGED'),
  ipykernel: () => succeeds('/usr/bin/python3', '-c', 'import ipykernel'),
  'jupyter-server': () => succeeds(JUPYTER_PYTHON, '-c', 'import jupyter_server, ipykernel'),
  script: () => isOnPath('script'),
  promtool: () => isOnPath('promtool'),
  registries: () => succeeds('npm', 'view', 'is-number', 'version'),
  chromium: () => isOnPath('chromium'),
  'X server': () => isOnPath('Xtigervnc'),
  ffmpeg: () => isOnPath('Xtigervnc') && isOnPath('ffmpeg') && isOnPath('setpriv'),
  GTK: () => isOnPath('Xtigervnc') && isOnPath('dbus-daemon') && succeeds('/usr/bin/python3', '-c', IMPORT_GTK),
  'data image': () => succeeds('docker', 'image', 'inspect', localImage('data')),
} satisfies Record<string, () => boolean>;

export type MachineProperty = keyof typeof PROBES;

const known = new Map<MachineProperty, boolean>();

/** Whether this machine has the property; probed once per process. */
export function has(property: MachineProperty): boolean {
  const found = known.get(property) ?? PROBES[property]();
  known.set(property, found);
  return found;
}

function succeeds(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function anyCompiler(): string | undefined {
  return ['cc', 'gcc', 'clang'].find((name) => succeeds(name, '--version'));
}

function isOnPath(program: string): boolean {
  return succeeds('sh', '-c', 'command -v "$1"', 'sh', program);
}

/** In a container root may not mount. */
function canMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'sandboxd-mount-'));
  try {
    return succeeds('mount', '-t', 'tmpfs', 'tmpfs', place) && succeeds('umount', place);
  } finally {
    rmdirSync(place);
  }
}

function canLimitMemory(): boolean {
  using group = MemoryGroup.make(`svc-probe-${process.pid}`, 64_000_000);
  return group !== undefined;
}

/** A compiler may lack the sanitizers' libraries. */
function canSanitize(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'sandboxd-sanitizers-'));
  const compiler = anyCompiler() ?? 'cc';
  const args = ['-fsanitize=address,undefined', '-x', 'c', '-', '-o', join(place, 'program')];
  try {
    return spawnSync(compiler, args, { input: 'int main(void) { return 0; }' }).status === 0;
  } finally {
    rmSync(place, { recursive: true });
  }
}
