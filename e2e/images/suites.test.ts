import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { beforeAll, expect, test } from 'vitest';
import { buildServices } from '../../scripts/build/services.ts';
import { ROOT } from '../../scripts/root.ts';
import { has, type MachineProperty } from '../../scripts/testing/machine.ts';
import { IMAGE_TESTS } from '../../scripts/testing/projects.ts';
import { IMAGE_REPORT, readRunReport } from '../../scripts/testing/run-report.ts';
import { runOnce } from './run-once.ts';

/**
 * The checkout is mounted and its packages are linked, so that files that tests write stay in the container. A worker
 * imports the daemon once, not for each file: the lane of the unit tests runs the same files isolated.
 */
const SCRIPT = `set -e
mkdir -p /suite/node_modules/@sandbox && cd /suite
cp -r /repo/package.json /repo/package-lock.json /repo/tsconfig.json /repo/vitest.config.ts \
  /repo/program /repo/api /repo/daemon /repo/gateway /repo/browser-mcp /repo/computer-use /repo/clients /repo/scripts \
  /repo/docs .
mkdir dist && cp -r /repo/dist/*keeper* /repo/dist/.*keeper*.digest \
  /repo/dist/.build.json /repo/dist/*.mjs* /repo/dist/*.cjs* /repo/dist/chunks /repo/dist/pages dist
for entry in /repo/node_modules/* /repo/node_modules/.bin; do
  [ "\${entry##*/}" = @sandbox ] || ln -s "$entry" node_modules/
done
for workspace in program api daemon gateway browser-mcp computer-use; do ln -s "/suite/$workspace" node_modules/@sandbox/; done
ln -s /suite/clients/typescript node_modules/@sandbox/client
chmod -R a+rX /suite
exec node node_modules/vitest/vitest.mjs run --project unit --project system \
  --outputFile.run=/report/$REPORT "$@"`;

// An empty variable counts as unset, so daemons of tests use their own defaults.
const ENV = {
  TEST_DEFAULT_USER: 'sandbox',
  TEST_PROCESS_HOST: 'keeper',
  SVC_PROCESS_HOST: '',
  SVC_RUNTIME_DIR: '',
  SVC_STOP_GRACE_SECONDS: '',
};

/** Accepted reasons for skipped tests in the image; a test skipped for any other reason is an error. */
const LACKING: readonly MachineProperty[] = ['mounts', 'memory limits', 'vim', 'htop', 'zsh'];

// The mounted packages must be built for Linux.
const linux = has('linux');

beforeAll(async () => {
  if (linux) await buildServices(ROOT, (line) => process.stderr.write(`${line}\n`));
});

test.runIf(linux)(
  '[images.suites] the tests of what an image decides pass in it, as root with the default user',
  { timeout: 600_000 },
  async () => {
    const [log, file] = [join(ROOT, 'dist/e2e-suites.log'), join(ROOT, IMAGE_REPORT)];
    const place = dirname(file);
    await rm(file, { force: true });
    await mkdir(place, { recursive: true });
    const volumes = ['--volume', `${ROOT}:/repo:ro`, '--volume', `${place}:/report`];
    const script = ['sh', '-c', SCRIPT, 'sh', ...IMAGE_TESTS];
    const { code, output } = await runOnce({ ...ENV, REPORT: basename(file) }, volumes, script);
    await writeFile(log, output);
    const report = await readRunReport(file);
    const failures = report?.failures ?? [];
    expect({ code, log, failures }, failures.join('\n')).toEqual({ code: 0, log, failures: [] });
    const { tests = [] } = report ?? {};
    const lost = tests.filter(({ state, lacks }) => state !== 'passed' && !LACKING.some((known) => known === lacks));
    expect(lost).toEqual([]);
  },
);
