import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, rmSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { writeAllAt } from '../../../core/records/replace-file.ts';
import type { ChangeFound } from '../engine/engine-protocol.ts';

/** Changes that are in one frame. */
const FRAME_CHANGES = 64;
const LENGTH_BYTES = 4;

const PREFIX = 'changes-';

/**
 * Writes changes to a file, from which the daemon sends them at the pace of a client. The thread of the engine need not
 * wait for it.
 * @param max bytes
 * @returns how many were written. @throws the error of write(2)
 */
export async function writeChanges(path: string, changes: AsyncIterable<ChangeFound>, max: number): Promise<number> {
  const fd = openSync(path, 'wx', 0o600);
  let isWritten = false;
  try {
    let [count, at] = [0, 0];
    let frame: ChangeFound[] = [];
    const flush = (): boolean => {
      const bytes = serialize(frame);
      if (at + LENGTH_BYTES + bytes.length > max) return false;
      const head = Buffer.alloc(LENGTH_BYTES);
      head.writeUInt32LE(bytes.length);
      writeAllAt(fd, Buffer.concat([head, bytes]), at);
      at += LENGTH_BYTES + bytes.length;
      count += frame.length;
      frame = [];
      return true;
    };
    let hasRoom = true;
    for await (const change of changes) {
      frame.push(change);
      hasRoom = frame.length < FRAME_CHANGES || flush();
      if (!hasRoom) break;
    }
    if (hasRoom && frame.length > 0) flush();
    isWritten = true;
    return count;
  } finally {
    closeSync(fd);
    if (!isWritten) rmSync(path, { force: true });
  }
}

/** The changes of such a file, which has no name any more when the first one is there. */
export async function* readChanges(path: string): AsyncGenerator<readonly ChangeFound[]> {
  const file = await open(path, 'r');
  try {
    await unlink(path);
    const head = Buffer.alloc(LENGTH_BYTES);
    while ((await file.read(head, 0, LENGTH_BYTES)).bytesRead === LENGTH_BYTES) {
      const bytes = Buffer.alloc(head.readUInt32LE());
      await file.read(bytes, 0, bytes.length);
      // Written by `writeChanges`.
      yield deserialize(bytes) as ChangeFound[];
    }
  } finally {
    await file.close();
  }
}

/** Where a new file of changes is in the directory of a store. */
export function newChangesPath(directory: string): string {
  return join(directory, `${PREFIX}${randomBytes(8).toString('hex')}`);
}

/** Removes files that no client has read before a kill. */
export function removeChanges(directory: string): void {
  for (const name of readdirSync(directory))
    if (name.startsWith(PREFIX)) rmSync(join(directory, name), { force: true });
}
