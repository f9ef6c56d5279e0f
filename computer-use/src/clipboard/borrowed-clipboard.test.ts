import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { TestWorker } from '../worker.fixture.ts';
import { XClientFixture } from '../x-client.fixture.ts';
import { BorrowedClipboard } from './borrowed-clipboard.ts';
import { Selections } from './selections.ts';

/** Milliseconds that a busy application lets pass before each of its requests: more than a quick one ever takes. */
const BUSY_MS = 250;

describe.skipIf(!has('X server'))('a text that is pasted', () => {
  let worker: TestWorker;
  let agent: XClientFixture;
  let application: XClientFixture;
  let offered: Selections;
  let seen: Selections;
  beforeAll(async () => {
    worker = await TestWorker.start('400x300');
    agent = await XClientFixture.open(worker.server.display);
    application = await XClientFixture.open(worker.server.display);
    offered = await Selections.open(agent.session);
    seen = await Selections.open(application.session);
    const window = await application.window('busy', [0, 0, 10, 10]);
    application.session.client.SetInputFocus(window, 0);
    await application.session.sync();
  });
  afterAll(async () => {
    await application?.[Symbol.asyncDispose]();
    await agent?.[Symbol.asyncDispose]();
    await worker?.[Symbol.asyncDispose]();
  });

  test('[desktop.typing] a busy application finds the text as long as it goes on asking', async () => {
    const found: (string | undefined)[] = [];
    const asked = Promise.withResolvers<void>();
    const ask = async (times: number): Promise<void> => {
      if (times === 0) return asked.resolve();
      found.push((await seen.read('CLIPBOARD', 1000))?.toString());
      setTimeout(() => ask(times - 1).catch(asked.reject), BUSY_MS);
    };
    {
      await using clipboard = await BorrowedClipboard.borrow(agent.session, offered);
      await clipboard.offer('漢', async () => {
        setTimeout(() => ask(3).catch(asked.reject), BUSY_MS);
      });
    }
    await asked.promise;
    expect(found).toEqual(['漢', '漢', '漢']);
    expect(await seen.read('CLIPBOARD', 1000)).toBeUndefined();
  });

  test('[desktop.typing] a text that no window fetches fails, and the clipboard is restored', async () => {
    await seen.own('CLIPBOARD', 'theirs');
    const offer = async (): Promise<void> => {
      await using clipboard = await BorrowedClipboard.borrow(agent.session, offered);
      await clipboard.offer('漢', async () => undefined);
    };
    await expect(offer()).rejects.toThrow('no window has fetched the text');
    expect((await seen.read('CLIPBOARD', 1000))?.toString()).toBe('theirs');
  });
});
