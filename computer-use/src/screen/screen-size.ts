import type { XGeometry } from 'x11';
import type { XSession } from '../x11/x-session.ts';

export interface ScreenSize {
  readonly width: number;
  readonly height: number;
}

/** The size of the display now; it may change while the worker runs. */
export async function screenSize(session: XSession): Promise<ScreenSize> {
  const { width, height } = await session.ask<XGeometry>((done) => session.client.GetGeometry(session.root, done));
  return { width, height };
}
