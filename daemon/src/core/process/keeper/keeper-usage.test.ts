import { describe, expect, test } from 'vitest';
import { keeperProgram, RunningKeeper, startIn } from './keeper.fixture.ts';

const MIB = 1024 ** 2;

describe.runIf(keeperProgram !== undefined)('usage', () => {
  test('memory is counted in bytes', async () => {
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    await using host = await keeper.host();
    const running = await startIn(host, 'a', `x=$(head -c ${32 * MIB} /dev/zero | tr '\\0' a)`);
    const { usage } = await running.ended;
    expect(usage?.maxRssBytes).toBeGreaterThan(32 * MIB);
    expect(usage?.maxRssBytes).toBeLessThan(1024 * MIB);
    running.acknowledgeExit();
  });
});
