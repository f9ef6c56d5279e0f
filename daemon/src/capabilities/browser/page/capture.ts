import { pause } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { workOnAnswer } from '../../../core/answers/answer-hold.ts';
import { CdpFailure, isCdpFailure } from '../cdp/cdp-failure.ts';
import type { Protocol } from '../cdp/cdp-types.ts';
import type { Tab } from '../tabs/tab.ts';
import type { Deadline } from './deadline.ts';

/** Milliseconds after which a picture that is not there is taken to wait for a frame. */
const PATIENCE_MS = 250;
/** Milliseconds between the frames that are asked for. */
const EVERY_MS = 2000;
/** Milliseconds for a call that begins or ends the viewing. */
const VIEW_MS = 5000;
/** A picture of one pixel, because only the drawing counts. */
const VIEW = { format: 'jpeg', quality: 0, maxWidth: 1, maxHeight: 1 } as const;

/** Milliseconds for a picture after its page was left: Chromium forgets the request if the process changes. */
const LEFT_MS = 500;
/** What Chromium says if it does not forget it. */
const LEFT = 'Not attached to an active page';
/** Milliseconds before the next attempt. */
const AGAIN_MS = 50;

/** A picture of the page as text of base64; if the page is left meanwhile, of the next one. @throws CdpFailure */
export async function capture(
  tab: Tab,
  request: Protocol.Page.CaptureScreenshotRequest,
  deadline: Deadline,
): Promise<string> {
  for (;;) {
    const data = await attempt(tab, request, deadline);
    if (data !== undefined) {
      workOnAnswer(data.length)[Symbol.dispose]();
      return data;
    }
    if (deadline.isOver) throw new CdpFailure('timeout', 'the page is left before a picture of it is there');
    await pause(AGAIN_MS, tab.gone);
  }
}

/** @returns undefined if the page was left */
async function attempt(
  tab: Tab,
  request: Protocol.Page.CaptureScreenshotRequest,
  deadline: Deadline,
): Promise<string | undefined> {
  const over = new AbortController();
  const left = Promise.withResolvers<undefined>();
  using _leaving = tab.session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id === tab.id) void pause(LEFT_MS, over.signal).then(() => left.resolve(undefined));
  });
  void drawUntil(over.signal, tab);
  const picture = tab.send('Page.captureScreenshot', request, deadline.forCall).then(
    ({ data }) => data,
    (error: unknown) => {
      if (isCdpFailure(error, 'protocol') && error.message.includes(LEFT)) return undefined;
      throw error;
    },
  );
  try {
    return await Promise.race([picture, left.promise]);
  } finally {
    over.abort();
  }
}

/**
 * Views the tab until the picture is taken: it is one of the next frame, and a tab that is behind another one, or in a
 * window that is covered or minimised, draws a frame only for a viewer (CDP, Page.startScreencast).
 */
async function drawUntil(over: AbortSignal, tab: Tab): Promise<void> {
  await pause(PATIENCE_MS, over);
  while (!over.aborted) {
    await tab.send('Page.startScreencast', VIEW, VIEW_MS).catch(ignore);
    await pause(EVERY_MS, over);
    await tab.send('Page.stopScreencast', undefined, VIEW_MS).catch(ignore);
  }
}
