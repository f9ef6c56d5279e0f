import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;
const ANSWER_MS = 2_000;

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Whether the address is in use. Other reasons against binding it are not reported here. */
export async function inUse({ host, port }: Address): Promise<boolean> {
  if (port === 0) return false;
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  } finally {
    server.close();
  }
}

/** Address for a client on this machine of a service that listens there. */
export function urlOf({ host, port }: Address): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Resolves when a GET of the URL answers a status that `accepts` returns true for; rejects when aborted. */
export async function untilAnswers(
  url: string,
  accepts: (status: number) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const status = await statusOf(url, signal);
    if (status !== undefined && accepts(status)) return;
    await delay(POLL_MS, undefined, { signal });
  }
}

async function statusOf(url: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) });
    await response.body?.cancel();
    return response.status;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
