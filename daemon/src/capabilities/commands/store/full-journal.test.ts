import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { describe, expect, test } from 'vitest';
import { mayMount } from '../../../../../scripts/testing/may-mount.ts';
import { Activity } from '../../../core/activity/activity.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { RuntimeDir } from '../../../core/runtime-dir.ts';
import { Command, newRecord } from '../run/command.ts';
import { CommandStore } from './command-store.ts';

const LIMITS = { maxRecords: 100, maxAgeMs: 60_000, maxBytes: 1_000_000 };
const KIB = 1024;

/** A disk of 256 KiB; `fill` leaves a part of one page. */
function smallDisk(): Disposable & { readonly path: string; fill(): void; empty(): void } {
  const path = mkdtempSync(join(tmpdir(), 'journal-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${256 * KIB}`, 'tmpfs', path]);
  const ballast = join(path, 'ballast');
  return {
    path,
    fill: () => {
      try {
        writeFileSync(ballast, Buffer.alloc(256 * KIB));
      } catch {
        expect(readdirSync(path)).toContain('ballast');
      }
    },
    empty: () => rmSync(ballast),
    [Symbol.dispose]: () => {
      execFileSync('umount', ['-l', path]);
      rmdirSync(path);
    },
  };
}

describe.runIf(mayMount)('a journal on a full disk', () => {
  test('what was not written in full is reported, spoils no later line, and is written once there is space', async () => {
    using disk = smallDisk();
    await using runtime = await RuntimeDir.open(disk.path);
    const logger = createLogger('test', 'fatal');
    const open = (): ReturnType<typeof CommandStore.open> =>
      CommandStore.open({ runtime, logger, activity: new Activity() }, 10, LIMITS);
    const { store } = open();
    const before = newRecord({ id: 'before', command: 'a' });
    store.announce(before);
    store.add(new Command(before, OutputLog.empty(disk.path, 'before'), {}));
    disk.fill();
    // A page is left to the file: the beginning of the line is written.
    expect(store.note('before', { message: 'x'.repeat(10 * KIB) })).toBe(false);
    let written = 0;
    store.onceWritten(() => {
      written += 1;
    });
    store.sweep();
    expect(written).toBe(0);
    disk.empty();
    store.announce(newRecord({ id: 'after', command: 'b' }));
    const ids = [...open().records.keys()];
    store.sweep();
    expect([ids, written]).toEqual([['before', 'after'], 1]);
    store[Symbol.dispose]();
  });
});
