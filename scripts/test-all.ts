import process from 'node:process';
import { faultsOfRuns } from '../e2e/requirement-coverage.ts';
import { REQUIREMENTS } from '../e2e/requirements.ts';
import { debianPackage, debianProgram, mayInstall, type Need } from './test-all/need.ts';
import { runSteps, type Step } from './test-all/run-steps.ts';

const BASH = debianProgram('bash', 'the default shell of commands');
const SETPRIV = debianProgram('setpriv', 'commands run as another account through it', 'util-linux');
const PS = debianProgram('ps', 'tests look at the processes of a command with it', 'procps');
const CC = debianProgram('cc', 'the process keeper is compiled with it', 'build-essential');
const RIPGREP = debianProgram('rg', "searches with it are held against the daemon's own", 'ripgrep');
const IN_TERMINALS = ['tmux', 'zsh', 'vim', 'htop', 'less', 'python3'].map((name) =>
  debianProgram(name, 'terminals are tried with it'),
);
const SCRIPT = debianProgram('script', 'what viewers of a terminal get is held against what it records', 'bsdutils');
const SHELLCHECK = debianProgram('shellcheck', 'the scripts of the images are checked with it');
const DOCKER: Need = {
  name: 'docker',
  probe: ['docker', 'version'],
  obtain: [['node', 'scripts/images.ts', 'engine']],
  reason: 'images are built and run by it',
};
const CHROMIUM = debianProgram('chromium', 'the pages are opened in it');
const XTIGERVNC = debianProgram('Xtigervnc', 'the desktop that /vnc shows', 'tigervnc-standalone-server');
const NOVNC: Need = {
  name: 'noVNC',
  probe: ['test', '-e', '/usr/share/novnc/vnc.html'],
  obtain: debianPackage('novnc'),
  reason: 'the pages of /vnc',
};
const PAGES = [CHROMIUM, XTIGERVNC, NOVNC];
// Only Linux uses them.
const SYSTEM = process.platform === 'linux' ? [BASH, SETPRIV, PS, CC, RIPGREP, SCRIPT, ...IN_TERMINALS] : [];

const STEPS: readonly Step[] = [
  { name: 'typecheck', command: ['tsc', '-p', '.'] },
  { name: 'lint', command: ['biome', 'check', '.'] },
  { name: 'shell scripts', command: ['node', 'scripts/shell-scripts.ts'], needs: [SHELLCHECK] },
  { name: 'knip', command: ['knip'] },
  {
    name: 'unit tests',
    command: ['vitest', 'run', '--project', 'unit', '--project', 'system', '--coverage'],
    vitest: true,
    needs: SYSTEM,
  },
  { name: 'tests by the clock', command: ['vitest', 'run', '--project', 'clock'], vitest: true, needs: SYSTEM },
  { name: 'build', command: ['node', 'scripts/build.ts'] },
  { name: 'e2e', command: ['vitest', 'run', '--project', 'e2e'], vitest: true, needs: SYSTEM, after: 'build' },
  { name: 'images', command: ['node', 'scripts/images.ts'], needs: [DOCKER] },
  {
    name: 'e2e of the images',
    command: ['vitest', 'run', '--project', 'images'],
    vitest: true,
    needs: [CHROMIUM],
    after: 'images',
  },
  { name: 'pages', command: ['vitest', 'run', '--project', 'pages'], vitest: true, needs: PAGES, after: 'build' },
  {
    name: 'requirements',
    reportsOf: ['unit tests', 'tests by the clock', 'e2e', 'e2e of the images', 'pages'],
    check: (reports) =>
      faultsOfRuns(
        REQUIREMENTS,
        reports.flatMap(({ tests }) => tests),
      ),
  },
];

const ok = await runSteps(STEPS, {
  mayObtain: mayInstall(),
  strict: process.env['CI'] === 'true',
  output: 'inherit',
  say: (line) => process.stdout.write(`${line}\n`),
});
process.exit(ok ? 0 : 1);
