import type { XSession } from '../x11/x-session.ts';
import type { Area, Pixels } from './pixels.ts';

interface CursorImage {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly xhot: number;
  readonly yhot: number;
  readonly cursorSerial: number;
  /** Blue, green, red, alpha; the colours are multiplied by alpha. */
  readonly cursorImage: Buffer;
}

/** The pointer with its picture; undefined if the display has no XFIXES. */
export async function cursorOf(session: XSession): Promise<CursorImage | undefined> {
  const fixes = session.extension('fixes');
  return fixes && session.query<CursorImage>((done) => fixes['GetCursorImage'](done));
}

/** Draws the pointer into pixels of an area. */
export function drawCursor({ rgb, width, height }: Pixels, area: Area, cursor: CursorImage): void {
  const [left, top] = [cursor.x - cursor.xhot - area.x, cursor.y - cursor.yhot - area.y];
  for (let row = Math.max(0, -top); row < cursor.height && top + row < height; row += 1) {
    for (let column = Math.max(0, -left); column < cursor.width && left + column < width; column += 1) {
      const from = (row * cursor.width + column) * 4;
      const to = ((top + row) * width + left + column) * 3;
      const rest = 255 - (cursor.cursorImage[from + 3] ?? 0);
      for (let channel = 0; channel < 3; channel += 1) {
        const below = rgb[to + channel] ?? 0;
        rgb[to + channel] = (cursor.cursorImage[from + 2 - channel] ?? 0) + Math.round((below * rest) / 255);
      }
    }
  }
}
