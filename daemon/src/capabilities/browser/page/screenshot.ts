import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Picture, PictureTerms } from '../../../core/desktop/desktop.ts';
import type { Protocol } from '../cdp/cdp-types.ts';
import { withElementNow } from '../element/find-element.ts';
import { PLACE_IN_PARENT, RECT } from '../element/page-scripts.ts';
import { type Point, pointInPage } from '../element/point.ts';
import type { Tab } from '../tabs/tab.ts';
import { capture } from './capture.ts';
import { Deadline } from './deadline.ts';
import { imageSize } from './image-size.ts';
import { callIn } from './world.ts';

/** Milliseconds for one picture. */
export const PICTURE_MS = 20_000;
/** Pixels of a side: what Chromium draws at most. */
export const SIDE_MAX = 16_384;
/** Pixels of a side of WebP, which has 14 bits for it (RFC 9649 §2.5). */
const WEBP_SIDE_MAX = 16_383;

export interface PagePicture extends PictureTerms {
  readonly fullPage: boolean;
  readonly selector?: string | undefined;
}

type Clip = Omit<Protocol.Page.Viewport, 'scale'>;

/** A picture of the page: a pixel is one of the page's, whatever the screen has, times `scale`. @throws SandboxError */
export async function pictureOf(tab: Tab, terms: PagePicture): Promise<Picture> {
  await tab.usable();
  const deadline = new Deadline(PICTURE_MS);
  if (terms.selector !== undefined) return ofElement(tab, terms, terms.selector, deadline);
  const metrics = tab.send('Page.getLayoutMetrics', undefined, deadline.forCall);
  if (terms.fullPage) {
    const { cssContentSize } = await metrics;
    return clipped(tab, cssContentSize, terms, deadline);
  }
  const [{ cssLayoutViewport, cssVisualViewport }, plain] = await Promise.all([
    metrics,
    terms.scale === 1 ? take(tab, terms, undefined, deadline) : undefined,
  ]);
  // A picture that is wider than the page and its scroll bar has the pixels of a dense screen.
  const isDense = plain && Math.abs(plain.width / cssLayoutViewport.clientWidth - 1) > 0.1;
  if (plain && !isDense) return plain;
  const { pageX: x, pageY: y, clientWidth: width, clientHeight: height } = cssVisualViewport;
  return clipped(tab, { x, y, width, height }, terms, deadline);
}

function ofElement(tab: Tab, terms: PagePicture, selector: string, deadline: Deadline): Promise<Picture> {
  return withElementNow(tab, { selector }, deadline, async (element) => {
    const { frame, objectId } = element;
    const rect = await callIn<Clip>(frame, RECT, { objectId, ms: deadline.forCall });
    if (rect.width < 1 || rect.height < 1) throw new SandboxError('conflict', `${selector} is not visible`);
    const corner: Point = await pointInPage(element, rect, PLACE_IN_PARENT, deadline);
    const { cssVisualViewport } = await tab.send('Page.getLayoutMetrics', undefined, deadline.forCall);
    const { pageX, pageY } = cssVisualViewport;
    return clipped(tab, { ...rect, x: corner.x + pageX, y: corner.y + pageY }, terms, deadline);
  });
}

async function clipped(tab: Tab, clip: Clip, terms: PictureTerms, deadline: Deadline): Promise<Picture> {
  const [main] = await tab.frames(deadline.forCall);
  const density = main
    ? await callIn<number>(main, 'function() { return devicePixelRatio; }', { ms: deadline.forCall })
    : 1;
  const sideMax = terms.format === 'webp' ? WEBP_SIDE_MAX : SIDE_MAX;
  const width = Math.min(clip.width, sideMax / terms.scale);
  const height = Math.min(clip.height, sideMax / terms.scale);
  return take(tab, terms, { ...clip, width, height, scale: terms.scale / density }, deadline);
}

async function take(
  tab: Tab,
  { format, quality }: PictureTerms,
  clip: Protocol.Page.Viewport | undefined,
  deadline: Deadline,
): Promise<Picture> {
  const request = {
    format,
    ...(quality !== undefined && format !== 'png' && { quality }),
    ...(clip && { clip, captureBeyondViewport: true }),
  };
  const bytes = Buffer.from(await capture(tab, request, deadline), 'base64');
  return { bytes, ...imageSize(bytes) };
}
