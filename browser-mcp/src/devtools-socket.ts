/** A message of the DevTools protocol, in either direction. */
export interface CdpMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly sessionId?: string;
}

/** The WebSocket of the browser's DevTools. @throws Error if none answers within that many milliseconds */
export async function openDevTools(origin: string, ms: number): Promise<WebSocket> {
  const signal = AbortSignal.timeout(ms);
  const answer = await fetch(`${origin}/json/version`, { signal });
  const { webSocketDebuggerUrl: url } = (await answer.json()) as { webSocketDebuggerUrl?: unknown };
  if (typeof url !== 'string' || !URL.canParse(url)) throw new Error('the browser names no WebSocket');
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}${new URL(url).pathname}`);
  await new Promise<void>((resolve, reject) => {
    const fail = (): void => {
      socket.close();
      reject(new Error('the browser accepts no connection to its DevTools'));
    };
    signal.addEventListener('abort', fail, { once: true });
    socket.addEventListener('error', fail, { once: true });
    socket.addEventListener('open', () => {
      signal.removeEventListener('abort', fail);
      socket.removeEventListener('error', fail);
      resolve();
    });
  });
  return socket;
}
