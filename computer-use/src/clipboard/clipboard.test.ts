import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { TestWorker } from '../worker.fixture.ts';
import { XClientFixture } from '../x-client.fixture.ts';
import { Selections } from './selections.ts';

describe.skipIf(!has('X server'))('the clipboard', () => {
  let worker: TestWorker;
  let client: XClientFixture;
  let others: Selections;
  beforeAll(async () => {
    worker = await TestWorker.start('400x300');
    client = await XClientFixture.open(worker.server.display);
    others = await Selections.open(client.session);
  });
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await worker?.[Symbol.asyncDispose]();
  });

  const set = (text: string) =>
    worker.json(200, 'POST', '/v2/computer/actions', { action_type: 'SET_CLIPBOARD', text });
  const read = async () => (await worker.json(200, 'GET', '/v2/computer/clipboard'))['data'];

  test('[desktop.clipboard] a clipboard without an owner is empty', async () => {
    expect(await read()).toEqual({ text: '', truncated: false });
  });

  test('[desktop.clipboard] what was set stays until another client takes it', async () => {
    await set('grüße 🎉');
    expect(await read()).toEqual({ text: 'grüße 🎉', truncated: false });
    expect((await others.read('CLIPBOARD', 1000))?.toString()).toBe('grüße 🎉');
    await others.own('CLIPBOARD', 'theirs');
    expect(await read()).toEqual({ text: 'theirs', truncated: false });
  });

  test('[desktop.clipboard] of 2 MiB the first MiB is answered, cut between characters', async () => {
    await others.own('CLIPBOARD', `a${'ä'.repeat(1024 ** 2)}`);
    const { text, truncated } = (await read()) as { text: string; truncated: boolean };
    expect([truncated, text.length, text.at(-1)]).toEqual([true, 1024 ** 2 / 2, 'ä']);
    const { statusCode } = await worker.app.inject({
      method: 'POST',
      url: '/v2/computer/actions',
      payload: { action_type: 'SET_CLIPBOARD', text: 'a'.repeat(1024 ** 2 + 1) },
    });
    expect(statusCode).toBe(422);
    await set('b'.repeat(1024 ** 2));
    expect((await others.read('CLIPBOARD', 2 * 1024 ** 2))?.length).toBe(1024 ** 2);
  });

  test('[desktop.clipboard] an owner that does not answer is 503 in time', async () => {
    await using deaf = await XClientFixture.open(worker.server.display);
    const { session } = deaf;
    const silent = session.client.AllocID();
    session.client.CreateWindow(silent, session.root, 0, 0, 1, 1, 0, 0, 0, 0, {});
    session.client.SetSelectionOwner(silent, await session.atom('CLIPBOARD'), 0);
    await session.sync();
    const { hint } = await worker.json(503, 'GET', '/v2/computer/clipboard');
    expect(hint).toEqual(expect.any(String));
  });
});
