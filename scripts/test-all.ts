import process from 'node:process';
import { debianPackage, mayInstall, type Need } from './test-all/need.ts';
import { runSteps, type Step } from './test-all/run-steps.ts';

const BASH: Need = {
  name: 'bash',
  probe: ['bash', '--version'],
  obtain: debianPackage('bash'),
  reason: 'the default shell of commands',
};
const SETPRIV: Need = {
  name: 'setpriv',
  probe: ['setpriv', '--version'],
  obtain: debianPackage('util-linux'),
  reason: 'commands run as another account through it',
};
const PS: Need = {
  name: 'ps',
  probe: ['ps', '--version'],
  obtain: debianPackage('procps'),
  reason: 'tests look at the processes of a command with it',
};
const CC: Need = {
  name: 'cc',
  probe: ['cc', '--version'],
  obtain: debianPackage('build-essential'),
  reason: 'the process keeper is compiled with it',
};
// Elsewhere than on Linux nothing stands on them.
const SYSTEM = process.platform === 'linux' ? [BASH, SETPRIV, PS, CC] : [];

const STEPS: readonly Step[] = [
  { name: 'typecheck', command: ['tsc', '-p', '.'] },
  { name: 'lint', command: ['biome', 'check', '.'] },
  { name: 'knip', command: ['knip'] },
  { name: 'unit tests', command: ['vitest', 'run', '--project', 'unit', '--coverage'], vitest: true, needs: SYSTEM },
  { name: 'build', command: ['node', 'scripts/build.ts'] },
  { name: 'e2e', command: ['vitest', 'run', '--project', 'e2e'], vitest: true, needs: SYSTEM, after: 'build' },
];

const ok = await runSteps(STEPS, {
  mayObtain: mayInstall(),
  strict: process.env['CI'] === 'true',
  output: 'inherit',
  say: (line) => process.stdout.write(`${line}\n`),
});
process.exit(ok ? 0 : 1);
