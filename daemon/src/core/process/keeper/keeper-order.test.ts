import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRows } from '../../../../../scripts/testing/describe-rows.ts';
import { compiles, FixtureBuilds } from './fixture-builds.fixture.ts';
import { idIn, KEEPERS, RunningKeeper } from './keeper.fixture.ts';

let builds: FixtureBuilds;
beforeAll(() => {
  builds = new FixtureBuilds();
});
afterAll(() => builds[Symbol.dispose]());

describeRows(
  KEEPERS.map((row) => ({ ...row, isThere: row.isThere && compiles })),
  ({ name }) => `the order of stdout and stderr that ${name} records`,
  ({ program }) => {
    test('is that of writing where a program answers what was announced', async () => {
      const env = { LD_PRELOAD: builds.of('late-wait', '-shared', '-fPIC'), ASAN_OPTIONS: 'verify_asan_link_order=0' };
      await using keeper = await RunningKeeper.start(program, { env });
      await using host = await keeper.host();
      // Input that the keeper does not pass on: a request to it would make it look at its descriptors.
      const input = join(keeper.directory, 'input');
      execFileSync('mkfifo', [input]);
      const hosted = await host.start({
        id: idIn(keeper.directory, 'a'),
        file: 'bash',
        args: ['-c', 'exec 3<>"$0"; read -r -u 3; echo a >&2; read -r -u 3; echo b; echo c >&2', input],
        cwd: '/',
        env: { PATH: '/usr/bin:/bin' },
        stdin: 'null',
        outputMaxBytes: 1024 * 1024,
      });
      const { stdout, stderr } = hosted.output;
      appendFileSync(input, '\n');
      await stderr.advanced(0);
      appendFileSync(input, '\n');
      await hosted.ended;
      expect(hosted.output.runs(0, stdout.end, 0, stderr.end)).toEqual([
        { stream: 'stderr', start: 0, end: 2 },
        { stream: 'stdout', start: 0, end: 2 },
        { stream: 'stderr', start: 2, end: 4 },
      ]);
    });
  },
);
