import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { pause } from '@sandbox/api/wait.ts';
import { systemCodeOf } from '../../../core/files/file-failure.ts';
import type { ExecRun } from './exec-run.ts';

/** Milliseconds between two looks; a mark that was not dropped is seen within them. */
const LOOK_MS = 250;
/** The account owns the file, and may put a link or a FIFO in its place. */
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Bytes that say whether the file has the script or an exit code. */
const HEAD_BYTES = 16;

/** Ends a command whose end mark was dropped, by the exit code that its shell leaves in the file of the script. */
export async function noticeDroppedEnd(run: ExecRun, path: string): Promise<void> {
  for (let left = await leftIn(path); run.status === 'running'; ) {
    await pause(LOOK_MS, run.over);
    const before = left;
    left = await leftIn(path);
    // A shell that is about to write has emptied the file.
    if (left !== undefined && before !== undefined) run.endUnseen(left === '' ? null : Number(left));
  }
}

/** The exit code; empty if the disk refused it, undefined if the file has the script or is not there. */
async function leftIn(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, READ_ONLY);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.toString('latin1', 0, bytesRead);
    return /^\d{0,10}$/.test(head) ? head : undefined;
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}
