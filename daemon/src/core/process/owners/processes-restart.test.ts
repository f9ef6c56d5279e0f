import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { idIn, keeperProgram, RunningKeeper } from '../keeper/keeper.fixture.ts';

const DAEMON = join(import.meta.dirname, 'three-owners.fixture.ts');
const SCRIPT = 'echo early; read -r line; echo late; exit 7';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'three-owners-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe.runIf(keeperProgram !== undefined)('with a keeper', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    "a third owner's process survives %s of the daemon, and no other owner takes it for its own",
    async (signal) => {
      await using _keeper = await RunningKeeper.start(keeperProgram ?? '', { directory });
      const env = { SVC_PROCESS_HOST: 'supervised' };
      const id = idIn(directory, 'kernel');
      const first = await DaemonProcess.start(directory, env, DAEMON);
      const { pid } = await first.data(`/v2/third/${id}`, { script: SCRIPT });
      await first.stop(signal);
      await using second = await DaemonProcess.start(directory, env, DAEMON);
      expect(await second.data('/v2/third')).toEqual([{ id, pid }]);
      expect(second.startLog.filter((line) => line.includes('lost'))).toEqual([]);
      expect((await second.data('/v2/commands')).commands).toEqual([]);
      expect(await second.data(`/v2/third/${id}/end`)).toEqual({ exit_code: 7, stdout: 'early\nlate\n' });
    },
  );
});
