import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf } from '../segment-files.ts';
import { KeeperConnection, type KeeperEvents } from './keeper-connection.ts';
import { KEEPER_VERSION } from './keeper-frames.ts';

export interface KeeperPlace {
  /** The runtime directory: socket, output and ends lie in it. */
  readonly directory: string;
  /** The keeper program; undefined: somebody else starts it. */
  readonly program?: string;
}

/**
 * Connects to the keeper of the directory, and starts one where none answers: detached, so that it outlives this process.
 * @throws Error in one line where there is none and none can be started
 */
export async function joinKeeper({ directory, program }: KeeperPlace, events: KeeperEvents): Promise<KeeperConnection> {
  const socket = join(directory, `keeper-v${KEEPER_VERSION}.sock`);
  try {
    return await KeeperConnection.open(socket, events);
  } catch (error) {
    if (!['ENOENT', 'ECONNREFUSED'].includes(errnoOf(error))) throw error;
    if (program === undefined) throw new Error(`no process keeper answers at ${socket}`, { cause: error });
  }
  try {
    // It comes back once the keeper listens.
    await promisify(execFile)(program, ['serve', '--detach', directory], { env: {}, cwd: '/' });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n').slice(-2).join(' ').trim() : String(error);
    throw new Error(`cannot start the process keeper: ${reason}`, { cause: error });
  }
  return KeeperConnection.open(socket, events);
}
