import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { TestWorker } from '../worker.fixture.ts';
import { XClientFixture } from '../x-client.fixture.ts';
import { BorrowedClipboard } from './borrowed-clipboard.ts';
import { Selections } from './selections.ts';

/** Milliseconds that a busy application lets pass before each of its requests: more than a quick one ever takes. */
const BUSY_MS = 250;
/** Milliseconds after which an application on a busy machine begins to ask. */
const LATE_MS = 1500;
/** Answers of a viewer without a password to the server (RFC 6143, §7.1 and §7.3.1): version, no security, shared. */
const GREETING = ['RFB 003.008\n', '\u0001', '\u0001'];

/** A viewer, for which the X server fetches each text of the clipboard. */
async function view(path: string): Promise<Socket> {
  const viewer = connect(path);
  for (const answer of GREETING) {
    await once(viewer, 'data');
    viewer.write(answer);
  }
  await once(viewer, 'data');
  return viewer;
}

describe.skipIf(!has('X server'))('a text that is pasted', () => {
  let worker: TestWorker;
  let agent: XClientFixture;
  let application: XClientFixture;
  let offered: Selections;
  let seen: Selections;
  let directory: string;
  let viewer: Socket;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'computer-use-'));
    const path = join(directory, 'vnc.sock');
    worker = await TestWorker.start('400x300', ['-rfbunixpath', path]);
    viewer = await view(path);
    agent = await XClientFixture.open(worker.server.display);
    application = await XClientFixture.open(worker.server.display);
    offered = await Selections.open(agent.session);
    seen = await Selections.open(application.session);
    const window = await application.window('busy', [0, 0, 10, 10]);
    application.session.client.SetInputFocus(window, 0);
    await application.session.sync();
  });
  afterAll(async () => {
    viewer?.destroy();
    await application?.[Symbol.asyncDispose]();
    await agent?.[Symbol.asyncDispose]();
    await worker?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
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

  test('[desktop.typing] an application that asks late finds the text, which the X server fetches for a viewer', async () => {
    const found = Promise.withResolvers<string | undefined>();
    const ask = async (): Promise<void> => found.resolve((await seen.read('CLIPBOARD', 1000))?.toString());
    {
      await using clipboard = await BorrowedClipboard.borrow(agent.session, offered);
      await clipboard.offer('漢', async () => void setTimeout(() => ask().catch(found.reject), LATE_MS));
    }
    expect(await found.promise).toBe('漢');
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
