import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keeperProgram, RunningKeeper } from './keeper.fixture.ts';

describe.runIf(keeperProgram !== undefined)('privacy', () => {
  test('no other account reaches the socket or the files, also where the directory is open to all', async () => {
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    chmodSync(keeper.directory, 0o755);
    expect(statSync(keeper.socket).mode & 0o777).toBe(0o600);
    for (const name of ['output', 'ended']) expect(statSync(join(keeper.directory, name)).mode & 0o777).toBe(0o700);
  });
});
