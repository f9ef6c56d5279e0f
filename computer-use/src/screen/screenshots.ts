import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { XLink } from '../x11/x-link.ts';
import type { XSession } from '../x11/x-session.ts';
import { DamageClock } from './damage-clock.ts';
import { cursorOf, drawCursor } from './draw-cursor.ts';
import { type EncodeTerms, encode, type Picture } from './encode.ts';
import type { Area } from './pixels.ts';
import { ScreenReader } from './screen-reader.ts';
import { type ScreenSize, screenSize } from './screen-size.ts';

/** Pixels of a picture, at most: four times a screen of 4K. */
export const PIXELS_MAX = 33_177_600;

/** Pixels of a side that WebP has, at most. */
const WEBP_SIDE_MAX = 16_383;

export interface ScreenshotRequest extends EncodeTerms {
  /** x, y, width, height. */
  readonly region?: readonly [number, number, number, number] | undefined;
  readonly cursor: boolean;
}

export interface Screenshot extends Picture {
  readonly screen: ScreenSize;
  /** What the picture shows; absent if the display cannot prove a change. */
  readonly etag: string | undefined;
}

interface Source {
  readonly session: XSession;
  readonly clock: DamageClock | undefined;
  readonly reader: ScreenReader;
}

/** Pictures of the display. */
export class Screenshots {
  readonly #link: XLink;
  #source: Source | undefined;

  constructor(link: XLink) {
    this.#link = link;
    link.onConnect(async (session) => {
      this.#source = { session, clock: DamageClock.open(session), reader: new ScreenReader(session) };
      await session.sync();
    });
  }

  /** The etag that a picture of now would have; undefined if the display cannot prove that nothing was drawn. */
  async etag(request: ScreenshotRequest): Promise<string | undefined> {
    const { session, clock } = await this.#use();
    const [state, cursor] = await Promise.all([clock?.now(), cursorState(session, request)]);
    return state && etagOf(state, cursor, request);
  }

  /** @throws SandboxError `invalid` for a region beyond the screen, `unavailable` without a display */
  async take(request: ScreenshotRequest): Promise<Screenshot> {
    const { session, clock, reader } = await this.#use();
    const [state, screen, cursor] = await Promise.all([
      clock?.mark(),
      screenSize(session),
      request.cursor ? cursorOf(session) : undefined,
    ]);
    const area = areaOf(request, screen);
    const pixels = await reader.read(area);
    if (cursor) drawCursor(pixels, area, cursor);
    const picture = await encode(pixels, request);
    return { ...picture, screen, etag: state && etagOf(state, cursor && serialOf(cursor), request) };
  }

  async #use(): Promise<Source> {
    const session = await this.#link.use();
    const source = this.#source;
    if (source?.session === session) return source;
    throw new SandboxError('unavailable', 'the display has just been restarted', { hint: 'repeat the call' });
  }
}

function areaOf({ region, scale, format }: ScreenshotRequest, { width, height }: ScreenSize): Area {
  const [x, y, columns, rows] = region ?? [0, 0, width, height];
  if (columns === 0 || rows === 0 || x + columns > width || y + rows > height) {
    throw new SandboxError('invalid', `is not within the screen of ${width}×${height} pixels`, {
      field: 'region',
      hint: 'x,y,width,height in pixels of the screen',
    });
  }
  if (columns * rows * scale ** 2 > PIXELS_MAX) {
    throw new SandboxError('invalid', `makes a picture of over ${PIXELS_MAX} pixels`, { field: 'scale' });
  }
  if (columns * rows > PIXELS_MAX) {
    throw new SandboxError('invalid', `has over ${PIXELS_MAX} pixels of the screen`, {
      field: 'region',
      hint: 'take pictures of parts of the screen',
    });
  }
  if (format === 'webp' && Math.round(Math.max(columns, rows) * scale) > WEBP_SIDE_MAX) {
    throw new SandboxError('invalid', `makes a side of over ${WEBP_SIDE_MAX} pixels, the most that webp has`, {
      field: 'scale',
      hint: 'take another format, or a smaller picture',
    });
  }
  return { x, y, width: columns, height: rows };
}

async function cursorState(session: XSession, { cursor }: ScreenshotRequest): Promise<string | undefined> {
  const image = cursor ? await cursorOf(session) : undefined;
  return image && serialOf(image);
}

function serialOf({ x, y, cursorSerial }: { x: number; y: number; cursorSerial: number }): string {
  return `${x}.${y}.${cursorSerial}`;
}

function etagOf(state: string, cursor: string | undefined, request: ScreenshotRequest): string {
  const { format, quality, scale, region } = request;
  return `"${[state, cursor ?? '', format, quality ?? '', scale, region?.join('.') ?? ''].join('_')}"`;
}
