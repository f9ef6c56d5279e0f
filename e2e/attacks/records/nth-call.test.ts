import { mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compiles, FixtureBuilds } from '../../../daemon/src/core/process/keeper/fixture-builds.fixture.ts';
import { hasKeeper } from '../../../daemon/src/hosts.fixture.ts';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { KilledDaemon } from './killed-daemon.ts';
import { Ledger } from './ledger.ts';
import { type Failure, NthCall } from './nth-call.ts';
import { Client, RunFile } from './run.ts';
import { seeded } from './writer.ts';

const IS_WHOLE = process.env['TEST_EXTENT'] === 'whole';
const SEED = Number(process.env['ATTACK_SEED'] ?? 44);
const { ENOSPC, EMFILE, EAGAIN } = constants.errno;
const ERRNOS = [ENOSPC, EMFILE, EAGAIN];
/** Calls of the runtime directory that a round makes at most, and rounds of a sample. */
const CALLS = 90;
const SAMPLE = 5;

test.runIf(hasKeeper && compiles)(
  '[records.nth-call] whichever call on the runtime directory fails, what is acknowledged is there after a kill',
  { timeout: IS_WHOLE ? 7_200_000 : 120_000 },
  async () => {
    await using place = await tempDir();
    using builds = new FixtureBuilds();
    const runtimeDir = join(place.path, 'runtime');
    mkdirSync(runtimeDir, { mode: 0o700 });
    const nth = new NthCall(builds, join(place.path, 'control'), runtimeDir);
    const [ledger, ran] = [new Ledger(), new RunFile(place.path)];
    await using daemon = new KilledDaemon(runtimeDir, { SVC_PROCESS_HOST: 'keeper', ...nth.env }, ledger);
    await daemon.ready();
    let failed = 0;
    for (const failure of failures()) {
      const { length } = ledger.faults;
      const name = `r${failure.first}-${failure.errno}-${failure.row}`;
      const surroundings = { daemon, ledger, ran: ran.path, directory: place.path, isOnSmallDisk: true };
      const client = new Client({ ...surroundings, name, random: seeded(SEED) });
      nth.arm(failure);
      await client.workOnce();
      await client.workOnce();
      failed += nth.disarm();
      await daemon.kill();
      await client.finish();
      if (ledger.faults.length > length) ledger.fault(`those before: call ${JSON.stringify(failure)}`);
    }
    await ran.compare(daemon, ledger);
    process.stdout.write(
      `ATTACK_SEED=${SEED}: ${failed} calls failed, ${ledger.total} acknowledged, ${ledger.refused} refused, ` +
        `${ledger.toldLost} cells told lost, ${daemon.kills} kills, ${ledger.faults.length} faults\n`,
    );
    expect(failed).toBeGreaterThan(0);
    expect(ledger.faults).toEqual([]);
  },
);

function failures(): Failure[] {
  const all = ERRNOS.flatMap((errno) =>
    Array.from({ length: CALLS }, (_, index) => ({ first: index + 1, errno, row: index % 4 === 3 ? 50 : 1 })),
  );
  if (IS_WHOLE) return all;
  const random = seeded(SEED);
  return Array.from({ length: SAMPLE }, () => all[Math.floor(random() * all.length)]).filter(
    (each) => each !== undefined,
  );
}
