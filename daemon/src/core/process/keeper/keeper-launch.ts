import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pollUntil, waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { errnoName } from '../../errno-name.ts';
import { KeeperConnection, type KeeperEvents } from './keeper-connection.ts';
import { FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';

/** Milliseconds that a supervisor may take to start a keeper, and between two attempts to connect to it. */
const SUPERVISOR_MS = 10_000;
const RETRY_MS = 50;
/** Milliseconds that a keeper may take to end, and its program to print its build. */
const END_MS = 10_000;

/** LIST of `docs/keeper.md`, and milliseconds that a keeper may take to answer it. */
const LIST = 31;
const LIST_MS = 2000;

export interface KeeperPlace {
  /** The runtime directory: socket, output and ends lie in it. */
  readonly directory: string;
  /** The keeper program; undefined if a supervisor starts it. */
  readonly program?: string;
  /** Called when the keeper has ended, with what became of its processes. */
  readonly report?: (details: object, message: string) => void;
}

/**
 * Connects to the keeper of the directory, and starts one where none answers: detached, so that it outlives this process.
 * @throws Error in one line if none exists and none can be started
 */
export async function joinKeeper({ directory, program }: KeeperPlace, events: KeeperEvents): Promise<KeeperConnection> {
  const socket = socketOf(directory);
  if (program === undefined) return awaitSupervised(socket, events);
  const connection = await openIfThere(socket, events);
  if (connection !== undefined) return connection;
  await startKeeper(program, directory);
  return KeeperConnection.open(socket, events);
}

async function awaitSupervised(socket: string, events: KeeperEvents): Promise<KeeperConnection> {
  const opened: KeeperConnection[] = [];
  const isThere = async (): Promise<boolean> => {
    const connection = await openIfThere(socket, events);
    if (connection !== undefined) opened.push(connection);
    return connection !== undefined;
  };
  await pollUntil(isThere, { everyMs: RETRY_MS, ms: SUPERVISOR_MS });
  const [connection] = opened;
  if (connection !== undefined) return connection;
  throw new Error(`no process keeper answers at ${socket}`);
}

/**
 * Ends the keeper that a daemon left behind, with all it holds: SIGTERM, and SIGKILL after `graceMs` milliseconds. A
 * keeper that a supervisor started runs on.
 */
export async function endKeeper(directory: string, graceMs: number): Promise<'ended' | 'none' | 'supervised'> {
  const connection = await openIfThere(socketOf(directory), { onFrame: ignore, onClose: ignore });
  if (connection === undefined) return 'none';
  if (connection.welcome.supervised) {
    connection.close();
    return 'supervised';
  }
  connection.send(new FrameWriter(REQUEST.shutdown).u32(graceMs));
  await waitFor(connection.closed(), { ms: graceMs + END_MS });
  return 'ended';
}

/**
 * Ends a keeper that was built from other sources and holds no living process, so that the given program replaces it.
 * One that holds processes serves on until it is joined without any.
 */
export async function endOutdated({ directory, program, report }: KeeperPlace): Promise<void> {
  if (program === undefined || !existsSync(socketOf(directory))) return;
  const connection = await openIfThere(socketOf(directory), { onFrame: ignore, onClose: ignore });
  if (connection === undefined) return;
  const { build, living, pid, supervised } = connection.welcome;
  const isOutdated = !supervised && build !== (await buildOf(program));
  if (isOutdated && living === 0) {
    connection.send(new FrameWriter(REQUEST.shutdown).u32(0));
    await waitFor(connection.closed(), { ms: END_MS });
  } else if (isOutdated) {
    report?.({ keeper: pid, living }, 'a process keeper of another build serves on, because it holds processes');
  }
  connection.close();
}

async function buildOf(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ['version'], { env: {}, timeout: END_MS });
  return stdout.trim();
}

/** Whether a keeper listens in the directory that does not answer. It is asked without HELLO, which would cut off its client. */
export async function isKeeperSilent(directory: string): Promise<boolean> {
  const socket = connect(socketOf(directory)).on('error', ignore);
  try {
    await once(socket, 'connect');
    socket.write(new FrameWriter(LIST).finish());
    return (await waitFor(once(socket, 'data'), { ms: LIST_MS })) === 'timeout';
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function socketOf(directory: string): string {
  return join(directory, `keeper-v${KEEPER_VERSION}.sock`);
}

/** Undefined if no keeper listens. */
async function openIfThere(socket: string, events: KeeperEvents): Promise<KeeperConnection | undefined> {
  try {
    return await KeeperConnection.open(socket, events);
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes(errnoName(error))) return undefined;
    throw error;
  }
}

/** Resolves when the keeper listens. */
async function startKeeper(program: string, directory: string): Promise<void> {
  try {
    await promisify(execFile)(program, ['serve', '--detach', directory], { env: {}, cwd: '/' });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n').slice(-2).join(' ').trim() : String(error);
    throw new Error(`cannot start the process keeper: ${reason}`, { cause: error });
  }
}
