import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compiles, FixtureBuilds } from '../../../daemon/src/core/process/keeper/fixture-builds.fixture.ts';
import { DaemonProcess } from '../../../daemon/src/daemon-process.fixture.ts';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { NthCall } from './nth-call.ts';

const { ENOSPC, EIO } = constants.errno;
/** More than the daemon makes in the test. */
const ALL = 1_000_000;

test.runIf(compiles).each([
  ['ENOSPC', ENOSPC, 'the runtime directory is full'],
  ['EIO', EIO, 'nothing can be recorded in the runtime directory'],
])(
  '[records.waiting] an acknowledged cell whose turn finds a disk that refuses with %s ends with the reason, and the daemon stays',
  async (_name, errno, reason) => {
    await using place = await tempDir();
    using builds = new FixtureBuilds();
    const runtimeDir = join(place.path, 'runtime');
    mkdirSync(runtimeDir, { mode: 0o700 });
    const nth = new NthCall(builds, join(place.path, 'control'), runtimeDir);
    await using daemon = await DaemonProcess.start(runtimeDir, nth.env);
    const begun = join(place.path, 'begun');
    const turn = join(place.path, 'turn');
    const ran = join(place.path, 'ran');
    const cell = async (code: string): Promise<string> => {
      const body = { language: 'bash', session_id: 's', code, async: true };
      return (await daemon.data('/v2/code/execute', body)).execution_id;
    };
    const ended = (id: string) => daemon.data(`/v2/code/executions/${id}?wait=true&wait_timeout=30`);
    const first = await cell(`touch ${begun}; until [ -e ${turn} ]; do sleep 0.01; done`);
    const second = await cell(`touch ${ran}`);
    await expect.poll(() => existsSync(begun)).toBe(true);
    nth.arm({ first: 1, errno, row: ALL });
    writeFileSync(turn, '');
    expect((await ended(first)).execution.status).toBe('ok');
    const { outputs, status } = await ended(second);
    const [error] = outputs;
    expect([status, error.ename]).toEqual(['error', 'NotStarted']);
    expect(error.evalue).toContain(reason);
    expect(nth.disarm()).toBeGreaterThan(0);
    expect(existsSync(ran)).toBe(false);
    expect((await ended(await cell(`touch ${ran}`))).execution.status).toBe('ok');
  },
);
