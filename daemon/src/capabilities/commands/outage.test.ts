import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { hasKeeper } from '../../hosts.fixture.ts';
import { begin, endOf, entriesIn, streamOf, workplaceIn } from './running.fixture.ts';

const COMMANDS = 64;
const DEATHS = 20;

let parent: string;
let directory: string;
let workplace: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'sandboxd-outage-'));
  ({ runtimeDir: directory, workplace } = workplaceIn(parent));
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

const countedTo = (end: number): string => Array.from({ length: end }, (_, n) => `${n}\n`).join('');

/**
 * Writes numbered lines to both streams until there is something to read or the file `go-<number>`; its number is its
 * exit code. It pauses by a descriptor that never has anything: `read -t` on stdin may be cut in the middle of a line.
 */
const writer = (number: number): string => `
  exec 9<> <(:)
  n=0
  until [ -e go-${number} ] || read -t 0; do
    for ((i = 0; i < 10; i++)); do echo $n; echo $n >&2; ((n++)); done
    read -t 0.1 -u 9
  done
  [ -e go-${number} ] || read line
  echo "got $line $n"
  exit ${number}`;

/** All of both streams of a writer, and nothing else. */
async function expectWhole(daemon: DaemonProcess, id: string, line: string): Promise<void> {
  const stderr = await streamOf(daemon, id, 'stderr');
  const count = stderr.split('\n').length - 1;
  expect(count).toBeGreaterThan(0);
  expect(stderr).toBe(countedTo(count));
  expect(await streamOf(daemon, id, 'stdout')).toBe(`${countedTo(count)}got ${line} ${count}\n`);
}

describe.runIf(hasKeeper)('a daemon that is away', () => {
  test('[restart.running] [restart.stdin-kill] killed twenty times in a row under load, it loses no byte and no exit code', async () => {
    let daemon = await DaemonProcess.start(directory);
    const starts = Array.from({ length: COMMANDS }, (_, number) => begin(daemon, writer(number), { cwd: workplace }));
    const ids = (await Promise.all(starts)).map(({ command_id }) => command_id);
    const tell = async (number: number): Promise<void> => {
      const given = await daemon.data(`/v2/commands/${ids[number]}/stdin`, { input: `line ${number}\n` });
      expect(given).not.toBeNull();
    };
    // In each round one command ends by its stdin just before the daemon dies, and one while no daemon runs.
    for (let death = 0; death < DEATHS; death++) {
      await tell(2 * death);
      await daemon.stop('SIGKILL');
      writeFileSync(join(workplace, `go-${2 * death + 1}`), '');
      daemon = await DaemonProcess.start(directory);
    }
    await using last = daemon;
    const killed = [COMMANDS - 1, COMMANDS - 2];
    for (const number of killed) await last.data(`/v2/commands/${ids[number]}/kill`, { signal: 'SIGKILL' });
    for (let number = 2 * DEATHS; number < COMMANDS - killed.length; number++) await tell(number);
    for (const [number, id] of ids.entries()) {
      const end = await endOf(last, id);
      if (killed.includes(number)) {
        expect(end).toMatchObject({ status: 'killed', signal: 'SIGKILL' });
        continue;
      }
      expect(end).toMatchObject({ status: 'completed', exit_code: number, background: false });
      await expectWhole(last, id, number < 2 * DEATHS && number % 2 === 1 ? '' : `line ${number}`);
    }
  }, 240_000);

  test('[restart.running] stopped for a while, it blocks no writing command and loses nothing', async () => {
    await using daemon = await DaemonProcess.start(directory);
    const script = (number: number): string => `
      until [ -e go ]; do read -t 0.05; done
      head -c 500000 /dev/zero; for ((n = 0; n < 1000; n++)); do echo $n >&2; done
      echo > done-${number}; exit ${number}`;
    const starts = Array.from({ length: COMMANDS }, (_, number) => begin(daemon, script(number), { cwd: workplace }));
    const ids = (await Promise.all(starts)).map(({ command_id }) => command_id);
    daemon.child.kill('SIGSTOP');
    writeFileSync(join(workplace, 'go'), '');
    await entriesIn(workplace, 'done-', COMMANDS);
    daemon.child.kill('SIGCONT');
    for (const [number, id] of ids.entries()) {
      expect(await endOf(daemon, id)).toMatchObject({ status: 'completed', exit_code: number, offset: 500_000 });
      expect(await streamOf(daemon, id, 'stderr')).toBe(countedTo(1000));
    }
  }, 120_000);
});
