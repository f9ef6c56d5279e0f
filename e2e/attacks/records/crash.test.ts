import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasKeeper } from '../../../daemon/src/hosts.fixture.ts';
import { mayMount } from '../../../scripts/testing/may-mount.ts';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { KilledDaemon } from './killed-daemon.ts';
import { Ledger } from './ledger.ts';
import { Client, RunFile } from './run.ts';
import { seeded } from './writer.ts';

const IS_WHOLE = process.env['TEST_EXTENT'] === 'whole';
const SEED = Number(process.env['ATTACK_SEED'] ?? 44);
const CLIENTS = 32;
/** Acknowledgements of a whole run, on each disk. */
const ACKNOWLEDGED = 100_000;
const SAMPLE_MS = 2500;
/** Answers of one daemon, at most: its death then cuts the calls of the other clients anywhere. */
const LIFE_ANSWERS = IS_WHOLE ? 1000 : 400;
/** Milliseconds: on a busy machine the whole takes an hour. */
const WHOLE_MS = 7_200_000;
/** Acknowledgements after which a whole run says how far it has come. */
const SAY_EACH = 10_000;
const DISK = 'size=8m';
/** Each client has a terminal and a session of cells, and more of each whose begin or end was cut. */
const ROOM = { SVC_SHELL_MAX_SESSIONS: '100', SVC_KERNEL_MAX_SESSIONS: '100' };

for (const disk of ['roomy', 'full'] as const) {
  test.runIf(hasKeeper && (disk === 'roomy' || mayMount))(
    `[records.crash] a daemon killed at random while ${CLIENTS} clients write, ${disk} disk: nothing lost or doubled`,
    { timeout: IS_WHOLE ? WHOLE_MS : 120_000 },
    async () => {
      await using place = await tempDir();
      const runtimeDir = join(place.path, 'runtime');
      mkdirSync(runtimeDir, { mode: 0o700 });
      if (disk === 'full') execFileSync('mount', ['-t', 'tmpfs', '-o', DISK, 'tmpfs', runtimeDir]);
      try {
        const faults = await crash(place.path, runtimeDir, disk);
        expect(faults).toEqual([]);
      } finally {
        if (disk === 'full') execFileSync('umount', ['-l', runtimeDir]);
      }
    },
  );
}

/** @returns what was lost, doubled or wrong */
async function crash(directory: string, runtimeDir: string, disk: 'roomy' | 'full'): Promise<readonly string[]> {
  const [ledger, ran] = [new Ledger(), new RunFile(directory)];
  const random = seeded(SEED);
  const began = Date.now();
  await using daemon = new KilledDaemon(runtimeDir, { SVC_PROCESS_HOST: 'keeper', ...ROOM }, ledger);
  const isOver = (): boolean =>
    ledger.faults.length > 20 || (IS_WHOLE ? ledger.total >= ACKNOWLEDGED : Date.now() - began > SAMPLE_MS);
  const clients = Array.from({ length: CLIENTS }, (_, n) => {
    const surroundings = {
      isOnSmallDisk: disk === 'full',
      daemon,
      ledger,
      directory,
      ran: ran.path,
      name: `c${n}`,
      random: seeded(SEED + n + 1),
    };
    return new Client(surroundings);
  });
  await daemon.ready();
  const over = Promise.all(clients.map((client) => client.work(isOver)));
  let [isFilled, said] = [false, SAY_EACH];
  while (!isOver()) {
    await Promise.race([daemon.answered(random() * LIFE_ANSWERS), over]);
    if (disk === 'full') isFilled = fill(join(runtimeDir, 'ballast'), !isFilled || random() < 0.7);
    await daemon.kill();
    if (ledger.total < said) continue;
    said += SAY_EACH;
    process.stdout.write(`${disk} disk: ${ledger.total} acknowledged, ${ledger.faults.length} faults\n`);
  }
  await over;
  await daemon.kill(() => fill(join(runtimeDir, 'ballast'), false));
  await Promise.all(clients.map((client) => client.finish()));
  await ran.compare(daemon, ledger);
  const { acknowledged, total, refused, cut, toldLost } = ledger;
  process.stdout.write(
    `${disk} disk, ATTACK_SEED=${SEED}: ${total} acknowledged ${JSON.stringify(acknowledged)}, ${refused} refused, ` +
      `${cut} cut, ${toldLost} cells told lost, ${daemon.kills} kills, ${ledger.faults.length} faults, ${Math.round((Date.now() - began) / 1000)} s\n`,
  );
  return ledger.faults;
}

/** Takes the room that is left, or gives it back. @returns whether it is taken */
function fill(path: string, isFilled: boolean): boolean {
  rmSync(path, { force: true });
  try {
    if (isFilled) writeFileSync(path, Buffer.alloc(16 * 1024 ** 2));
  } catch {
    // It has what it could take.
  }
  return isFilled;
}
