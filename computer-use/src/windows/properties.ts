import type { XProperty } from 'x11';
import type { XSession } from '../x11/x-session.ts';

const ANY_TYPE = 0;
/** Words of a property that are read: 64 KiB. */
const MOST_WORDS = 16_384;

/** The bytes of a property of a window; empty if it has none, or the window is gone. */
export async function propertyOf(session: XSession, window: number, name: string): Promise<Buffer> {
  const atom = await session.atom(name);
  try {
    const read = await session.ask<XProperty>((done) =>
      session.client.GetProperty(0, window, atom, ANY_TYPE, 0, MOST_WORDS, done),
    );
    return read.data.subarray(0, MOST_WORDS * 4);
  } catch (error) {
    if (isXError(error)) return Buffer.alloc(0);
    throw error;
  }
}

/** The numbers of a property, such as windows, atoms or cardinals. */
export async function numbersOf(session: XSession, window: number, name: string): Promise<number[]> {
  const bytes = await propertyOf(session, window, name);
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(index * 4));
}

/** Whether the display refused a request, for example about a window that is gone. */
export function isXError(error: unknown): boolean {
  return error instanceof Error && 'error' in error && typeof error.error === 'number';
}
