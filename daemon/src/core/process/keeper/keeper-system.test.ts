import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rejectionOf, textOf } from '../process-host.fixture.ts';
import { compiles, FixtureBuilds } from './fixture-builds.fixture.ts';
import { idIn, KEEPERS, keeperProgram, RawClient, RunningKeeper, startFrame, startIn } from './keeper.fixture.ts';
import { FrameWriter, REQUEST } from './keeper-frames.ts';

describe.runIf(compiles && keeperProgram !== undefined)('the keeper on another system', () => {
  let builds: FixtureBuilds;
  let directory = '';
  const build = (name: string, ...flags: string[]): string => builds.of(name, ...flags);
  beforeAll(() => {
    builds = new FixtureBuilds();
    ({ directory } = builds);
  });
  afterAll(() => builds[Symbol.dispose]());

  test.for(KEEPERS)(
    '$name without pidfd, close_range, splice, memfd and vfork does the same',
    async (row, { skip }) => {
      const { program, isThere } = row;
      skip(!isThere, 'it was not built');
      await using keeper = await RunningKeeper.start(program, { through: [build('deny-system-calls')] });
      await using host = await keeper.host();
      const bytes = 'x'.repeat(300_000);
      const cat = await startIn(host, 'cat', 'cat; cat <&3 >&2; exit 3', { stdin: 'pipe', script: 'of the script' });
      await cat.writeStdin(Buffer.from(bytes));
      await cat.endStdin();
      expect(await cat.ended).toMatchObject({ exitCode: 3, background: false });
      expect(await textOf(cat.output.stdout)).toBe(bytes);
      expect(await textOf(cat.output.stderr)).toBe('of the script');
      const orphan = join(directory, 'orphan');
      writeFileSync(orphan, '#!/no/such/interpreter\n', { mode: 0o755 });
      expect(String(await rejectionOf(startIn(host, 'none', '', { file: orphan })))).toContain('interpreter');
      const away = await startIn(host, idIn(keeper.directory, 'away'), 'setsid sleep 1000 & echo; wait');
      await away.output.stdout.advanced(0);
      const target = { id: away.id, pid: away.pid, running: true };
      expect(await host.signal([target], 'SIGKILL')).toBe(2);
      expect(await away.ended).toMatchObject({ signal: 'SIGKILL' });
      expect(keeper.said).toBe('');
    },
  );

  test('without close_range, inherited descriptors are closed as well', async () => {
    const place = mkdtempSync(join(directory, 'place-'));
    const args = [keeperProgram ?? '', 'serve', place];
    const child = spawn(build('deny-system-calls'), args, { stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'] });
    const inherited = child.stdio[4] as Readable;
    inherited.resume();
    await once(inherited, 'end');
    expect(child.exitCode).toBe(null);
    child.kill();
    await once(child, 'exit');
  });

  test('a clock that is set back makes no process end before its start, and no wait longer', async () => {
    const shim = build('clock-set-back', '-shared', '-fPIC');
    await using keeper = await RunningKeeper.start(keeperProgram ?? '', { env: { LD_PRELOAD: shim } });
    const before = Date.now();
    await using client = await RawClient.open(keeper.socket);
    client.send(startFrame('a', 'sleep 1000 & exit 4'));
    const end = await client.ended('a');
    expect(end).toMatchObject({ exitCode: 4, background: true });
    expect(end.endedAt.getTime()).toBeGreaterThanOrEqual(before);
    client.send(new FrameWriter(REQUEST.shutdown).u32(100));
    expect(await once(keeper.child, 'exit')).toEqual([0, null]);
  });

  test('after it was suspended, output that had ended in time is not background', async () => {
    const shim = build('clock-leaps', '-shared', '-fPIC');
    await using keeper = await RunningKeeper.start(keeperProgram ?? '', { env: { LD_PRELOAD: shim } });
    await using client = await RawClient.open(keeper.socket);
    const go = join(keeper.directory, 'go');
    execFileSync('mkfifo', [go]);
    client.send(startFrame('a', `read line < ${go}; head -c 60000 /dev/zero; exit 4`));
    const { pid } = await client.state('a');
    // Its output and its end exist before the keeper checks.
    keeper.child.kill('SIGSTOP');
    await writeFile(go, '\n');
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'latin1')).toContain(') Z ');
    keeper.child.kill('SIGCONT');
    expect(await client.ended('a')).toMatchObject({ exitCode: 4, background: false });
    expect(readFileSync(join(keeper.directory, 'output/a.stdout.0'))).toHaveLength(60_000);
  });
});
