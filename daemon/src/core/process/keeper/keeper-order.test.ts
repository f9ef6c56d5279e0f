import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWithBuilds } from './fixture-builds.fixture.ts';
import { idIn, RunningKeeper } from './keeper.fixture.ts';

describeWithBuilds(
  (name) => `the order of stdout and stderr that ${name} records`,
  (suite) => {
    test('is that of writing where a program answers what was announced', async () => {
      const env = suite.builds.preload('late-wait');
      await using keeper = await RunningKeeper.start(suite.program, { env });
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
