import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { errnoName } from '../../errno-name.ts';
import { KeeperConnection, type KeeperEvents } from './keeper-connection.ts';
import { FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';

/** How long a supervisor may take to start a keeper that is not there, and how often it is looked for. */
const SUPERVISOR_MS = 10_000;
const RETRY_MS = 50;

export interface KeeperPlace {
  /** The runtime directory: socket, output and ends lie in it. */
  readonly directory: string;
  /** The keeper program; undefined: somebody else starts it. */
  readonly program?: string;
  /** Told when the keeper went away and what came of it. */
  readonly report?: (details: object, message: string) => void;
}

/**
 * Connects to the keeper of the directory, and starts one where none answers: detached, so that it outlives this process.
 * @throws Error in one line where there is none and none can be started
 */
export async function joinKeeper({ directory, program }: KeeperPlace, events: KeeperEvents): Promise<KeeperConnection> {
  const socket = socketOf(directory);
  const deadline = performance.now() + (program === undefined ? SUPERVISOR_MS : 0);
  for (;;) {
    const connection = await openIfThere(socket, events);
    if (connection !== undefined) return connection;
    if (program !== undefined) break;
    if (performance.now() > deadline) throw new Error(`no process keeper answers at ${socket}`);
    await delay(RETRY_MS);
  }
  await startKeeper(program, directory);
  return KeeperConnection.open(socket, events);
}

/** Ends the keeper that a daemon left behind, with all it holds: SIGTERM, after the grace SIGKILL. A supervisor's is left alone. */
export async function endKeeper(directory: string, graceMs: number): Promise<'ended' | 'none' | 'supervised'> {
  const connection = await openIfThere(socketOf(directory), { onFrame: () => {}, onClose: () => {} });
  if (connection === undefined) return 'none';
  if (connection.welcome.supervised) {
    connection.close();
    return 'supervised';
  }
  connection.send(new FrameWriter(REQUEST.shutdown).u32(graceMs));
  await connection.closed();
  return 'ended';
}

function socketOf(directory: string): string {
  return join(directory, `keeper-v${KEEPER_VERSION}.sock`);
}

/** Undefined where nobody listens. */
async function openIfThere(socket: string, events: KeeperEvents): Promise<KeeperConnection | undefined> {
  try {
    return await KeeperConnection.open(socket, events);
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes(errnoName(error))) return undefined;
    throw error;
  }
}

/** Comes back once the keeper listens. */
async function startKeeper(program: string, directory: string): Promise<void> {
  try {
    await promisify(execFile)(program, ['serve', '--detach', directory], { env: {}, cwd: '/' });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n').slice(-2).join(' ').trim() : String(error);
    throw new Error(`cannot start the process keeper: ${reason}`, { cause: error });
  }
}
