import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { XGeometry } from 'x11';
import type { XSession } from '../x11/x-session.ts';

/** Pixels of a side: coordinates of the protocol have 16 bits with a sign. */
const SIDE_MAX = 32_767;

export interface ScreenSize {
  readonly width: number;
  readonly height: number;
}

/** The size of the display now; it may change while the worker runs. */
export async function screenSize(session: XSession): Promise<ScreenSize> {
  const { width, height } = await session.query<XGeometry>((done) => session.client.GetGeometry(session.root, done));
  if (Math.min(width, height) > 0 && Math.max(width, height) <= SIDE_MAX) return { width, height };
  throw new SandboxError('unavailable', `the display says that it has ${width}×${height} pixels`, {
    hint: 'restart the X server',
  });
}
