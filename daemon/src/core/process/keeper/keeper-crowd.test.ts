import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { idIn, keeperProgram, RawClient, RunningKeeper, startFrame } from './keeper.fixture.ts';

describe.runIf(keeperProgram !== undefined)('a crowd', () => {
  test('a client keeps its place however many connect after it and say nothing', async () => {
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    await using client = await RawClient.open(keeper.socket);
    const silent = [];
    const closed = [];
    for (let count = 0; count < 20; count += 1) {
      const socket = (await keeper.connect()).on('error', () => {}).resume();
      silent.push(socket);
      closed.push(once(socket, 'close'));
    }
    // It gives way to the last of them: all have been let in.
    await closed[11];
    const id = idIn(keeper.directory, 'a');
    client.send(startFrame(id, 'exit 3'));
    expect(await client.ended(id)).toMatchObject({ exitCode: 3 });
    for (const socket of silent) socket.destroy();
  });
});
