import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRows } from '../../../../../scripts/testing/describe-rows.ts';
import { rejectionOf, sealed, targetOf, textOf } from '../process-host.fixture.ts';
import { StartFailure } from '../process-host.ts';
import { compiles, FixtureBuilds } from './fixture-builds.fixture.ts';
import { Forker } from './forker.fixture.ts';
import { idIn, KEEPERS, RunningKeeper, startIn } from './keeper.fixture.ts';
import type { KeeperHost } from './keeper-host.ts';

const [EPERM, ENOENT, ESRCH, EBADF, EINVAL] = ['1', '2', '3', '9', '22'];
/** Beyond the highest pid there can be. */
const NO_PID = 4_194_305;

let builds: FixtureBuilds;
beforeAll(() => {
  builds = new FixtureBuilds();
});
afterAll(() => builds[Symbol.dispose]());

const forkerIn = (host: KeeperHost, directory: string): Promise<Forker> =>
  Forker.start(host, directory, builds.of('forker'));

async function isGone(pid: number): Promise<void> {
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
}

/** The first line of a process, from its file: meanwhile nothing runs in this thread. */
function firstLineOnDisk(directory: string, id: string): string {
  for (const deadline = performance.now() + 30_000; performance.now() < deadline; ) {
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    const file = files.find((name) => name.endsWith(`${id}.stdout.0`));
    const [line, more] = file === undefined ? [] : readFileSync(join(directory, file), 'latin1').split('\n');
    if (line !== undefined && more !== undefined) return line;
  }
  throw new Error(`${id} has written no line`);
}

describeRows(
  compiles ? KEEPERS : KEEPERS.map((row) => ({ ...row, isThere: false })),
  ({ name }) => `what a forker hands over to ${name}`,
  ({ program }) => {
    test('is a process like any other: input, output, exit code, signal, usage', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using host = await keeper.host();
      const forker = await forkerIn(host, keeper.directory);
      const echo = await forker.fork('echo', 'echo', 'pipe');
      expect(await forker.answer()).toEqual([echo.id, '0', String(echo.pid)]);
      await echo.writeStdin(Buffer.from('in\n'));
      await echo.endStdin();
      expect(await echo.ended).toMatchObject({ exitCode: 7, signal: null, background: false });
      expect(await textOf(echo.output.stdout)).toBe('in\n');
      expect(await textOf(echo.output.stderr)).toBe('to stderr\n');
      const killed = await forker.fork('killed', 'signal-9');
      expect(await killed.ended).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
      const ended = await (await forker.fork('exit', 'exit-3')).ended;
      expect(ended).toMatchObject({ exitCode: 3, usage: { maxRssBytes: expect.any(Number) } });
      expect(ended.usage?.maxRssBytes).toBeGreaterThan(0);
      const full = await forker.fork('full', 'fill');
      expect(await full.ended).toMatchObject({ exitCode: 0 });
      expect(full.output.stdout.end).toBe(1024 * 1024);
      await rejectionOf(full.writeStdin(Buffer.from('x')));
      await forker.tell('exit 5');
      expect(await forker.process.ended).toMatchObject({ exitCode: 5 });
      expect(keeper.said).toBe('');
    });

    test('outlives its forker; a signal to one does not reach the other', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using host = await keeper.host();
      const forker = await forkerIn(host, keeper.directory);
      const [first, second, third] = [
        await forker.fork('a', 'wait'),
        await forker.fork('b', 'wait'),
        await forker.fork('c', 'wait'),
      ];
      for (const { pid } of [first, second, third])
        await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'latin1').split(' ')[5]).toBe(String(pid));
      expect(await host.signal([targetOf(first, true)], 'SIGTERM')).toBe(1);
      expect(await first.ended).toMatchObject({ signal: 'SIGTERM' });
      expect(await host.signal([targetOf(forker.process, true)], 'SIGKILL')).toBe(1);
      expect(await forker.process.ended).toMatchObject({ signal: 'SIGKILL' });
      expect(await host.living([targetOf(second, true)])).toBe(1);
      forker.process.acknowledgeExit();
      expect(await host.signal([targetOf(forker.process, false)], 'SIGKILL')).toBe(0);
      expect(await host.signal([targetOf(second, true), targetOf(third, true)], 'SIGKILL')).toBe(2);
      expect(await second.ended).toMatchObject({ signal: 'SIGKILL' });
    });

    test('leaves processes in its session, which are found though they carry the mark of the forker', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using host = await keeper.host();
      const forker = await forkerIn(host, keeper.directory);
      const left = await forker.fork('stray', 'stray');
      expect(await left.ended).toMatchObject({ exitCode: 0, background: true });
      const stray = Number(await textOf(left.output.stdout));
      expect(readFileSync(`/proc/${stray}/environ`, 'latin1')).toContain(`SVC_COMMAND_ID=${forker.process.id}`);
      expect(await host.signal([targetOf(forker.process, true)], 'SIGKILL')).toBe(1);
      expect(existsSync(`/proc/${stray}`)).toBe(true);
      expect(await host.signal([targetOf(left, false)], 'SIGKILL')).toBe(1);
      await sealed(left.output.stdout);
      await isGone(stray);
    });

    test('has to be reserved, for this forker, with as many pipes as it needs', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using host = await keeper.host();
      const forker = await forkerIn(host, keeper.directory);
      const ask = async (line: string): Promise<string | undefined> => (await forker.ask(line))[1];
      expect(await ask(`fork ${idIn(keeper.directory, 'x')} 0 usual wait`)).toBe(ENOENT);
      expect(await ask(`fork ${forker.process.id} 0 usual wait`)).toBe(ENOENT);
      const place = await forker.reserve('a', 'pipe');
      expect(await ask(`fork ${place.id} 0 usual wait`)).toBe(EINVAL);
      expect(await ask(`fork ${place.id} 1 files wait`)).toBe(EBADF);
      for (const count of [0, 1, 2]) expect(await ask(`adopt ${place.id} ${NO_PID} ${count}`)).not.toBe('0');
      expect(await ask(`adopt ${place.id} ${NO_PID} 4`)).toBe(EINVAL);
      expect(await ask(`adopt ${place.id} ${NO_PID} 16`)).toBe(EINVAL);
      // It stays reserved.
      expect(await ask(`fork ${place.id} 1 usual echo`)).toBe('0');
      const adopted = await place.adopted;
      expect(await ask(`fork ${place.id} 1 usual echo`)).toBe(ENOENT);
      await adopted.endStdin();
      expect(await adopted.ended).toMatchObject({ exitCode: 7 });
      expect(keeper.said).toBe('');
    });

    test('has to descend from its forker and to run as it does', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using host = await keeper.host();
      const forker = await forkerIn(host, keeper.directory);
      const other = await startIn(host, idIn(keeper.directory, 'other'), 'exec sleep 1000');
      const orphaned = await startIn(host, idIn(keeper.directory, 'orphaned'), '(sleep 1000 & echo $!); exit 0');
      await orphaned.ended;
      const orphan = Number(await textOf(orphaned.output.stdout));
      const stranger = spawn('sleep', ['1000']);
      const place = await forker.reserve('a');
      const ask = async (line: string): Promise<string | undefined> => (await forker.ask(line))[1];
      const foreign = [other.pid, orphan, stranger.pid, forker.process.pid, keeper.child.pid, 1];
      for (const pid of foreign) expect([pid, await ask(`adopt ${place.id} ${pid} 2`)]).toEqual([pid, EPERM]);
      for (const pid of [0, -1, NO_PID]) expect(await ask(`adopt ${place.id} ${pid} 2`)).toBe(ESRCH);
      expect(await ask(`fork ${place.id} 0 session wait`)).toBe(EPERM);
      expect(await ask(`fork ${place.id} 0 dead wait`)).toBe(ESRCH);
      // Refused while its parent lives, and then accepted.
      expect(await ask(`fork ${place.id} 0 orphan-later exit-4`)).toBe('0');
      expect(await (await place.adopted).ended).toMatchObject({ exitCode: 4 });
      stranger.kill();
      expect(await host.signal([targetOf(orphaned, false)], 'SIGKILL')).toBe(1);
    });

    test('is not accepted any more after the forker has ended, the time is over, or the id was given up', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using host = await keeper.host();
      const forker = await forkerIn(host, keeper.directory);
      const late = await forker.reserve('late', 'null', 1);
      expect(await rejectionOf(late.adopted)).toMatchObject({ message: expect.stringContaining('in time') });
      expect((await forker.ask(`fork ${late.id} 0 usual wait`))[1]).toBe(ENOENT);
      const given = await forker.reserve('given-up');
      given[Symbol.dispose]();
      expect(await rejectionOf(given.adopted)).toBeInstanceOf(StartFailure);
      expect((await forker.ask(`fork ${given.id} 0 usual wait`))[1]).toBe(ENOENT);
      // The id is free again.
      const again = await forker.reserve('given-up');
      await forker.tell('exit 0');
      expect(await rejectionOf(again.adopted)).toMatchObject({
        message: expect.stringMatching(/has ended|closed its/),
      });
      expect(await rejectionOf(forker.reserve('more'))).toBeInstanceOf(StartFailure);
      expect([...host.ids()]).toEqual([forker.process.id]);
    });

    test('is killed where its id was given up while it was handed over', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using host = await keeper.host();
      const forker = await forkerIn(host, keeper.directory);
      for (let count = 0, givenUp = 0; givenUp < 5; count++) {
        const place = await forker.reserve(`a-${count}`);
        await forker.tell(`fork ${place.id} 0 usual wait`);
        const answered = forker.answer();
        await new Promise((resolve) => setImmediate(resolve));
        place[Symbol.dispose]();
        const adopted = await place.adopted.catch(() => undefined);
        const [, , pid] = await answered;
        // The machine may let the forker finish first: such a process belongs to the host.
        if (adopted) {
          await host.signal([targetOf(adopted, true)], 'SIGKILL');
          await adopted.ended;
          adopted.acknowledgeExit();
        } else {
          givenUp++;
          await isGone(Number(pid));
        }
      }
      // The end of a killed process is told after the process is gone.
      await expect.poll(() => [...host.ids()].filter((id) => id !== forker.process.id)).toEqual([]);
    });

    test('is killed where its id was given up before the host knew that it was handed over', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using host = await keeper.host();
      const forker = await forkerIn(host, keeper.directory);
      const place = await forker.reserve('a');
      // The forker stands still until the host has read the acknowledgement of the line. From there to the end of `place`
      // the test does not return to the event loop, so the host cannot read that the keeper holds the process.
      process.kill(forker.process.pid, 'SIGSTOP');
      await forker.tell(`fork ${place.id} 0 usual wait`);
      process.kill(forker.process.pid, 'SIGCONT');
      const [, errno, pid] = firstLineOnDisk(keeper.directory, forker.process.id).split(' ');
      place[Symbol.dispose]();
      expect([errno, await rejectionOf(place.adopted)]).toEqual(['0', expect.any(StartFailure)]);
      await isGone(Number(pid));
      await expect.poll(() => [...host.ids()]).toEqual([forker.process.id]);
    });

    test('comes from a forker that sends garbage, or without end, or does not read: others are served', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using host = await keeper.host();
      const forker = await forkerIn(host, keeper.directory);
      const place = await forker.reserve('a');
      expect(await forker.ask(`flood ${idIn(keeper.directory, 'none')} 2000`)).toEqual(['flood', ENOENT]);
      const flooding = forker.ask(`deluge ${place.id}`);
      expect(await (await startIn(host, idIn(keeper.directory, 'b'), 'exit 3')).ended).toMatchObject({ exitCode: 3 });
      expect(await flooding).toEqual(['deluge', '1']);
      place[Symbol.dispose]();
      await forker.tell('exit 0');
      expect(await forker.process.ended).toMatchObject({ exitCode: 0 });
      forker.process.acknowledgeExit();
      for (const bytes of [1, 13, 200, 500]) {
        const garbling = await Forker.start(host, keeper.directory, builds.of('forker'), {
          id: idIn(keeper.directory, `garbling-${bytes}`),
        });
        const ended = await garbling.reserve(`of-${bytes}`);
        expect(await garbling.ask(`garbage ${bytes}`)).toEqual(['garbage', '-1']);
        expect(await rejectionOf(ended.adopted)).toMatchObject({ message: expect.stringContaining('socket') });
        expect(await rejectionOf(garbling.reserve('more'))).toBeInstanceOf(StartFailure);
        await garbling.tell('exit 0');
        await garbling.process.ended;
      }
      expect(keeper.said).toBe('');
    });

    test('is found by the next client, with its record, also where it was forked in between', async () => {
      await using keeper = await RunningKeeper.start(program);
      const spec = { directory: keeper.directory, program: builds.of('forker') };
      const daemon: ChildProcess = spawn(
        process.execPath,
        [join(import.meta.dirname, 'forker-client.fixture.ts'), JSON.stringify(spec)],
        { stdio: ['pipe', 'pipe', 'inherit'] },
      );
      const [said] = await once(daemon.stdout ?? daemon, 'data');
      const pid = Number(said);
      daemon.kill('SIGKILL');
      await once(daemon, 'exit');
      // The second is forked now, though nobody is there.
      const line = join(keeper.directory, 'output', `${idIn(keeper.directory, 'forker')}.stdout.0`);
      await expect.poll(() => readFileSync(line, 'latin1').split('\n').length).toBeGreaterThan(2);
      await using host = await keeper.host();
      const { processes } = host.recover(new Map());
      const found = processes.get(idIn(keeper.directory, 'a'));
      expect(found).toMatchObject({ pid, record: 'a' });
      const between = processes.get(idIn(keeper.directory, 'b'));
      expect(between?.record).toBe('b');
      expect(await between?.ended).toMatchObject({ exitCode: 6 });
      await found?.writeStdin(Buffer.from('after'));
      await found?.endStdin();
      expect(await found?.ended).toMatchObject({ exitCode: 7 });
      if (found) expect(await textOf(found.output.stdout)).toBe('after');
      const forking = processes.get(idIn(keeper.directory, 'forker'));
      if (forking === undefined) throw new Error('the forker was not found');
      const forker = Forker.recovered(host, keeper.directory, forking);
      expect(await (await forker.fork('c', 'exit-8')).ended).toMatchObject({ exitCode: 8 });
    });

    test('of an id that the client before reserved is refused', async () => {
      await using keeper = await RunningKeeper.start(program);
      const id = idIn(keeper.directory, 'forker');
      {
        await using before = await keeper.host();
        const forker = await forkerIn(before, keeper.directory);
        const place = await forker.reserve('a');
        await before[Symbol.asyncDispose]();
        expect(await rejectionOf(place.adopted)).toBeInstanceOf(StartFailure);
      }
      await using host = await keeper.host();
      const forking = host.recover(new Map()).processes.get(id);
      if (forking === undefined) throw new Error('the forker was not found');
      const forker = Forker.recovered(host, keeper.directory, forking);
      expect((await forker.ask(`fork ${idIn(keeper.directory, 'a')} 0 usual wait`))[1]).toBe(ENOENT);
      expect(await (await forker.fork('a', 'exit-2')).ended).toMatchObject({ exitCode: 2 });
    });
  },
);
