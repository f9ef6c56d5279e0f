import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { beforeAll, expect, test } from 'vitest';
import { buildServices } from '../../scripts/build/services.ts';
import { ROOT } from '../../scripts/root.ts';
import { has, type MachineProperty } from '../../scripts/testing/machine.ts';
import { readRunReport } from '../../scripts/testing/run-report.ts';
import { compareCount } from '../../scripts/testing/test-counts.ts';
import { runOnce } from './run-once.ts';

/** The test suites that run in the image, by name. */
const SUITES = [
  { name: 'commands', path: 'daemon/src/capabilities/commands' },
  { name: 'files', path: 'daemon/src/capabilities/files' },
  { name: 'watch', path: 'daemon/src/capabilities/watch' },
  { name: 'search', path: 'daemon/src/capabilities/search' },
  { name: 'pty', path: 'daemon/src/capabilities/pty' },
] as const;

/** The checkout is mounted and its packages are linked, so that files that tests write stay in the container. */
const SCRIPT = `set -e
mkdir -p /suite/node_modules/@sandbox && cd /suite
cp -r /repo/package.json /repo/package-lock.json /repo/tsconfig.json /repo/vitest.config.ts \
  /repo/program /repo/daemon /repo/gateway /repo/scripts /repo/docs /repo/dist .
for entry in /repo/node_modules/* /repo/node_modules/.bin; do
  [ "\${entry##*/}" = @sandbox ] || ln -s "$entry" node_modules/
done
for workspace in program daemon gateway; do ln -s "/suite/$workspace" node_modules/@sandbox/; done
chmod -R a+rX /suite
exec node node_modules/vitest/vitest.mjs run --project unit "$0" --outputFile.run=/report/report.json`;

// An empty variable counts as unset, so daemons of tests use their own defaults.
const ENV = { TEST_DEFAULT_USER: 'sandbox', SVC_PROCESS_HOST: '', SVC_RUNTIME_DIR: '', SVC_STOP_GRACE_SECONDS: '' };

/** Accepted reasons for skipped tests in the image; a test skipped for any other reason is an error. */
const LACKING: readonly MachineProperty[] = ['mounts', 'memory limits', 'user namespaces', 'zsh', 'vim', 'htop'];

// The mounted packages must be built for Linux.
const linux = has('linux');

beforeAll(async () => {
  if (linux) await buildServices(ROOT, (line) => process.stderr.write(`${line}\n`));
});

test.runIf(linux).each(SUITES)(
  '[images.suites] the tests of $name pass in the image as root with the default user',
  { timeout: 600_000 },
  async ({ name, path }) => {
    const log = join(ROOT, `dist/e2e-${name}.log`);
    const place = join(ROOT, 'dist/e2e-reports', name);
    await rm(place, { recursive: true, force: true });
    await mkdir(place, { recursive: true });
    const volumes = ['--volume', `${ROOT}:/repo:ro`, '--volume', `${place}:/report`];
    const { code, output } = await runOnce(ENV, volumes, ['sh', '-c', SCRIPT, path]);
    await writeFile(log, output);
    const report = await readRunReport(join(place, 'report.json'));
    expect({ code, log, failures: report?.failures }).toEqual({ code: 0, log, failures: [] });
    const { tests = [] } = report ?? {};
    const lost = tests.filter(({ state, lacks }) => state !== 'passed' && !LACKING.some((known) => known === lacks));
    expect(lost).toEqual([]);
    const count = compareCount(`image/${name}`, tests.length);
    for (const note of count.notes) process.stderr.write(`${note}\n`);
    expect(count.failures).toEqual([]);
  },
);
