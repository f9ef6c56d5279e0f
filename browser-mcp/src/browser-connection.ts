import { connect } from 'node:net';
import { type BrowserContext, chromium } from 'playwright-core';

const CONNECT_MS = 10_000;

export interface BrowserAddress {
  readonly host: string;
  readonly port: number;
}

/** The context that a person sees, unchanged: downloads, focus and media stay as the browser has them. */
export async function visibleContext({ host, port }: BrowserAddress): Promise<BrowserContext> {
  const browser = await chromium.connectOverCDP(`http://${host.includes(':') ? `[${host}]` : host}:${port}`, {
    noDefaults: true,
    isLocal: true,
    timeout: CONNECT_MS,
  });
  const [context] = browser.contexts();
  if (context) return context;
  await browser.close();
  throw new Error('the browser has no window');
}

/** Calls `onEnd` once when the browser ends: an idle connection to its DevTools is closed by that alone. */
export function watchBrowser({ host, port }: BrowserAddress, onEnd: () => void): Disposable {
  const socket = connect({ host, port });
  socket.setKeepAlive(true);
  // An error is followed by the close.
  socket.on('error', () => socket.destroy());
  socket.once('close', onEnd);
  socket.resume();
  return {
    [Symbol.dispose]: () => {
      socket.off('close', onEnd);
      socket.destroy();
    },
  };
}
