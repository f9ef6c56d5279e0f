import { url as debuggerUrl } from 'node:inspector';
import { Socket } from 'node:net';
import { ignore } from '../ignore.ts';
import type { LogLevel } from '../logger.ts';
import { BEAT, beatMs, DEBUGGED } from './beats.ts';
import { LoopState } from './loop-state.ts';

/** Set by a parent that restarts the program if its main loop stops: number of the descriptor for the beats. */
export const HEARTBEAT_FD = 'SVC_HEARTBEAT_FD';

export interface HeartbeatOptions {
  /** Name of the service in its log. */
  readonly name: string;
  /** The parent's limit; 0: no beats. */
  readonly stallSeconds: number;
  readonly logLevel: LogLevel;
}

/** Reads the variable and removes it, so that children do not inherit it. Undefined if no parent counts beats. */
export function takeHeartbeatFd(env: Record<string, string | undefined>): number | undefined {
  const value = env[HEARTBEAT_FD];
  delete env[HEARTBEAT_FD];
  return value ? Number(value) : undefined;
}

/**
 * Writes beats from a timer of the main loop, and starts the thread that logs if the main loop stands when it stops.
 * Neither keeps the program running.
 * @throws TypeError for a descriptor that is neither a pipe nor a socket
 */
export function startHeartbeat(fd: number | undefined, { name, stallSeconds, logLevel }: HeartbeatOptions): void {
  if (fd === undefined || stallSeconds === 0) return;
  const parent = new Socket({ fd, readable: false, writable: true });
  parent.on('error', ignore).unref();
  const state = new LoopState();
  const beat = (): void => {
    const isDebugged = debuggerUrl() !== undefined;
    state.turned(isDebugged);
    // A parent that does not read must not cost memory.
    if (parent.writableLength === 0) parent.write(Uint8Array.of(isDebugged ? DEBUGGED : BEAT));
  };
  const intervalMs = beatMs(stallSeconds);
  beat();
  setInterval(beat, intervalMs).unref();
  if (logLevel === 'silent' || logLevel === 'fatal') return;
  // Later, so that it does not delay the start of the service.
  setTimeout(() => void startThread(name, intervalMs, state), intervalMs).unref();
}

async function startThread(name: string, intervalMs: number, state: LoopState): Promise<void> {
  const { startStallThread } = await import('./stall-thread.ts');
  startStallThread({ name, pid: process.pid, intervalMs, loop: state.shared });
}
