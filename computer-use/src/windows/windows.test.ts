import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { TestWorker } from '../worker.fixture.ts';
import { XClientFixture } from '../x-client.fixture.ts';

interface Snapshot {
  readonly snapshot_id: string;
  readonly windows: readonly Record<string, unknown>[];
}

describe.skipIf(!has('X server'))('windows', () => {
  let worker: TestWorker;
  let client: XClientFixture;
  beforeEach(async () => {
    worker = await TestWorker.start('800x600');
    client = await XClientFixture.open(worker.server.display);
  });
  afterEach(async () => {
    await client?.[Symbol.asyncDispose]();
    await worker?.[Symbol.asyncDispose]();
  });

  const list = async () => (await worker.json(200, 'GET', '/v2/computer/windows'))['data'] as unknown as Snapshot;
  const act = (status: number, action_type: string, window: number) =>
    worker.json(status, 'POST', '/v2/computer/actions', { action_type, window_id: `0x${window.toString(16)}` });

  test('[desktop.windows] title, process, bounds and state of each; the snapshot changes with them', async () => {
    const [first, second] = [
      await client.window('Grüße', [10, 20, 300, 200]),
      await client.window('b', [50, 60, 30, 20]),
    ];
    await client.manage([first, second], { minimize: true });
    const before = await list();
    expect(before).toEqual({
      snapshot_id: expect.any(String),
      truncated: false,
      windows: [
        {
          ...{ window_id: `0x${first.toString(16)}`, title: 'Grüße', process_id: 4321 },
          ...{ bounds: { x: 10, y: 20, width: 300, height: 200 }, minimized: false, active: false },
        },
        expect.objectContaining({ title: 'b' }),
      ],
    });
    expect((await list()).snapshot_id).toBe(before.snapshot_id);
    expect(await act(200, 'WINDOW_ACTIVATE', second)).toMatchObject({ status: 'success' });
    expect(await act(200, 'WINDOW_MINIMIZE', first)).toMatchObject({ status: 'success' });
    const after = await list();
    expect(after.snapshot_id).not.toBe(before.snapshot_id);
    expect(after.windows.map(({ minimized, active }) => ({ minimized, active }))).toEqual([
      { minimized: true, active: false },
      { minimized: false, active: true },
    ]);
  });

  test('[desktop.windows] a window that is gone is 404, one that closes under the call fails', async () => {
    const window = await client.window('a', [10, 20, 300, 200]);
    const asked = Promise.withResolvers<void>();
    await client.manage([window], { minimize: false, onMinimize: asked.resolve });
    expect(await act(404, 'WINDOW_ACTIVATE', 0x99)).toMatchObject({ success: false, hint: expect.any(String) });
    const minimized = act(200, 'WINDOW_MINIMIZE', window);
    await asked.promise;
    const list_ = await client.session.atom('_NET_CLIENT_LIST');
    client.session.client.ChangeProperty(0, client.session.root, list_, 33, 32, []);
    await client.close(window);
    expect(await minimized).toMatchObject({ success: false, status: 'failed' });
    await worker.json(422, 'POST', '/v2/computer/actions', { action_type: 'WINDOW_ACTIVATE', window_id: 'abc' });
  });

  test('[desktop.no-manager] without a window manager windows are listed and activated, not minimized', async () => {
    const window = await client.window('alone', [10, 20, 300, 200]);
    expect((await list()).windows).toMatchObject([{ title: 'alone', minimized: false }]);
    expect(await act(200, 'WINDOW_ACTIVATE', window)).toMatchObject({ status: 'success' });
    expect(await act(200, 'WINDOW_MINIMIZE', window)).toMatchObject({ success: false, hint: expect.any(String) });
  });
});
