import { join } from 'node:path';
import process from 'node:process';
import { faultsOfRuns } from '../e2e/requirement-coverage.ts';
import { REQUIREMENTS } from '../e2e/requirements.ts';
import { ROOT } from './root.ts';
import { debianPackage, debianProgram, mayInstall, type Need } from './test-all/need.ts';
import { runSteps, type Step } from './test-all/run-steps.ts';
import { IMAGE_REPORT } from './testing/run-report.ts';

/** Each step writes a file there while it runs. */
const OUTPUT = join(ROOT, 'dist/test-all');

const BASH = debianProgram('bash', 'the default shell of commands');
const SETPRIV = debianProgram('setpriv', 'commands run as another account through it', 'util-linux');
const PS = debianProgram('ps', 'tests look at the processes of a command with it', 'procps');
const CC = debianProgram('cc', 'the process keeper is compiled with it', 'build-essential');
const RIPGREP = debianProgram('rg', "searches with it are held against the daemon's own", 'ripgrep');
const IN_TERMINALS = ['tmux', 'zsh', 'vim', 'htop', 'less', 'python3'].map((name) =>
  debianProgram(name, 'terminals are tried with it'),
);
const SCRIPT = debianProgram('script', 'what viewers of a terminal get is held against what it records', 'bsdutils');
const PROMTOOL = debianProgram('promtool', 'it judges metrics, alert rules and the dashboard', 'prometheus');
const IPYKERNEL: Need = {
  name: 'ipykernel',
  probe: ['/usr/bin/python3', '-c', 'import ipykernel'],
  obtain: debianPackage('python3-ipykernel'),
  packageName: 'python3-ipykernel',
  reason: 'Python cells run in its kernels',
};
const VENV: Need = {
  name: 'venv',
  probe: ['/usr/bin/python3', '-c', 'import ensurepip'],
  obtain: debianPackage('python3-venv'),
  packageName: 'python3-venv',
  reason: 'the Python of analysts is set up with it',
};
const SHELLCHECK = debianProgram('shellcheck', 'the scripts of the images are checked with it');
const DOCKER: Need = {
  name: 'docker',
  probe: ['docker', 'version'],
  obtain: [['node', 'scripts/images.ts', 'engine']],
  reason: 'images are built and run by it',
};
const DOCKERD = debianProgram('dockerd', 'images are built and run by it', 'docker.io');
const MMDEBSTRAP = debianProgram('mmdebstrap', 'the base of the images is made with it where it cannot be pulled');
const CHROMIUM = debianProgram('chromium', 'the pages are opened in it');
const XTIGERVNC = debianProgram('Xtigervnc', 'the display of /vnc and of the worker', 'tigervnc-standalone-server');
const FFMPEG = debianProgram('ffmpeg', 'the worker of the display records with it');
const GTK: Need = {
  name: 'GTK for Python and AT-SPI',
  probe: [
    '/usr/bin/python3',
    '-c',
    "import gi, os; gi.require_version('Gtk', '3.0'); os.stat('/usr/libexec/at-spi-bus-launcher')",
  ],
  obtain: debianPackage('at-spi2-core', 'dbus-daemon', 'gir1.2-gtk-3.0', 'python3-gi'),
  reason: 'the worker of the display reads windows of it',
};
const NOVNC: Need = {
  name: 'noVNC',
  probe: ['test', '-e', '/usr/share/novnc/vnc.html'],
  obtain: debianPackage('novnc'),
  packageName: 'novnc',
  reason: 'the pages of /vnc',
};
const PAGES = [CHROMIUM, XTIGERVNC, NOVNC];
// Only Linux uses them.
const SYSTEM =
  process.platform === 'linux'
    ? [BASH, SETPRIV, PS, CC, RIPGREP, SCRIPT, PROMTOOL, IPYKERNEL, VENV, XTIGERVNC, FFMPEG, GTK, ...IN_TERMINALS]
    : [];

const VITEST = ['vitest', 'run', '--project'];

const STEPS: readonly Step[] = [
  {
    name: 'images',
    lane: 'images',
    command: ['nice', '-n', '19', 'node', 'scripts/images.ts', 'background'],
    needs: [DOCKER],
    mayUse: [DOCKERD, MMDEBSTRAP],
  },
  { name: 'typecheck', lane: 'checks', command: ['tsc', '-p', '.'] },
  { name: 'typecheck of the app', lane: 'checks', command: ['tsc', '-p', 'gateway/pages'] },
  { name: 'lint', lane: 'checks', command: ['biome', 'check', '.'] },
  { name: 'knip', lane: 'checks', command: ['knip'] },
  { name: 'shell scripts', lane: 'checks', command: ['node', 'scripts/shell-scripts.ts'], needs: [SHELLCHECK] },
  { name: 'tests by the clock', lane: 'checks', command: [...VITEST, 'clock'], vitest: true, needs: SYSTEM },
  { name: 'build', lane: 'tests', command: ['node', 'scripts/build.ts'] },
  {
    name: 'unit tests',
    lane: 'tests',
    command: [...VITEST, 'unit', '--project', 'system'],
    vitest: true,
    needs: SYSTEM,
  },
  {
    name: 'e2e of the images',
    lane: 'images',
    command: [...VITEST, 'images'],
    vitest: true,
    innerReport: join(ROOT, IMAGE_REPORT),
    needs: [CHROMIUM],
    after: 'images',
  },
  // Chromium loses requests when the network interface of a container comes or goes.
  { name: 'pages', lane: 'images', command: [...VITEST, 'pages'], vitest: true, needs: PAGES, after: 'build' },
  { name: 'e2e', lane: 'images', command: [...VITEST, 'e2e'], vitest: true, needs: SYSTEM, after: 'build' },
  {
    name: 'attacks, Python and terminals',
    lane: 'images',
    command: [...VITEST, 'attacks', '--project', 'python', '--project', 'terminals', '--passWithNoTests'],
    vitest: true,
    needs: SYSTEM,
    after: 'build',
  },
  {
    name: 'requirements',
    lane: 'requirements',
    reportsOf: [
      'unit tests',
      'tests by the clock',
      'e2e',
      'e2e of the images',
      'pages',
      'attacks, Python and terminals',
    ],
    check: (reports) =>
      faultsOfRuns(
        REQUIREMENTS,
        reports.flatMap(({ tests }) => tests),
      ),
  },
];

process.stdout.write(`the output of running steps: ${OUTPUT}\n`);
const ok = await runSteps(STEPS, {
  mayObtain: mayInstall(),
  strict: process.env['CI'] === 'true',
  output: { directory: OUTPUT },
  say: (line) => process.stdout.write(`${line}\n`),
});
process.exit(ok ? 0 : 1);
