import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { npmStart, pidOf } from '../npm-start.ts';
import { sufferFaults } from '../service-faults.ts';
import { SteadyWork } from '../steady-work.ts';

const KEY = 'open-sesame-7';
/** A busy machine may starve a healthy service for seconds. */
const STALL_SECONDS = 8;

const hasKeeper = existsSync(join(ROOT, 'dist/keeper'));
if (!hasKeeper) process.stderr.write('not tested: services that stand still, without a keeper\n');

test.runIf(hasKeeper)(
  '[stall.beside-work] [stall.recovers] [stall.stack] under npm start a daemon and a gateway that are killed, ' +
    'stopped or spin come back, and 20 commands and 10 terminals lose nothing',
  async () => {
    await using dir = await tempDir();
    await using work = await tempDir();
    const endFile = join(work.path, 'end');
    const { npm, url, log } = await npmStart(dir.path, {
      SVC_API_KEY: KEY,
      SVC_STALL_SECONDS: String(STALL_SECONDS),
      NODE_OPTIONS: `--import=${join(import.meta.dirname, '../spin-on-signal.mjs')}`,
    });
    const closed = once(npm, 'close');
    try {
      const steady = await SteadyWork.start({ url, key: KEY, endFile });
      await sufferFaults(
        {
          url,
          key: KEY,
          log,
          pid: async (service) => pidOf(service === 'daemon' ? 'sandboxd' : service, dir.path),
          signal: async (pid, signal) => void process.kill(pid, signal),
          threads: async (pid) =>
            readdirSync(`/proc/${pid}/task`).map((tid) =>
              readFileSync(`/proc/${pid}/task/${tid}/comm`, 'latin1').trim(),
            ),
        },
        STALL_SECONDS,
      );
      writeFileSync(endFile, '');
      await steady.check();
      npm.kill('SIGTERM');
      expect(await closed).toEqual([0, null]);
    } finally {
      npm.kill('SIGTERM');
    }
  },
);
