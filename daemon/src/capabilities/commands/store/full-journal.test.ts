import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { describe, expect, test } from 'vitest';
import { mayMount } from '../../../../../scripts/testing/may-mount.ts';
import { Activity } from '../../../core/activity/activity.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { RuntimeDir } from '../../../core/runtime-dir.ts';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { hasKeeper } from '../../../hosts.fixture.ts';
import { Command, newRecord } from '../run/command.ts';
import { CommandStore } from './command-store.ts';

const LIMITS = { maxRecords: 100, maxAgeMs: 60_000, maxBytes: 1_000_000 };
const KIB = 1024;
const PAGE_BYTES = 4 * KIB;

/** A disk of so many KiB; `fill` leaves a part of one page to each file. */
function smallDisk(kib = 256): Disposable & { readonly path: string; fill(): void; empty(): void } {
  const path = mkdtempSync(join(tmpdir(), 'journal-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', path]);
  const ballast = join(path, 'ballast');
  return {
    path,
    fill: () => {
      try {
        writeFileSync(ballast, Buffer.alloc(kib * KIB));
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

  test.runIf(hasKeeper)('the keeper forgets no end that is not in the journal', { timeout: 60_000 }, async () => {
    using disk = smallDisk(4 * KIB);
    using elsewhere = smallDisk();
    const [journal, go] = [join(disk.path, 'commands.ndjson'), join(elsewhere.path, 'go')];
    const env = { SVC_PROCESS_HOST: 'keeper' };
    const first = await DaemonProcess.start(disk.path, env);
    const waiting = `while [ ! -e ${go} ]; do sleep 0.02; done; exit 7`;
    const { command_id } = await first.data('/v2/commands', { command: waiting, mode: 'async' });
    disk.fill();
    // The rest of its last page; empty lines are skipped.
    appendFileSync(journal, '\n'.repeat(PAGE_BYTES - (statSync(journal).size % PAGE_BYTES)));
    writeFileSync(go, '');
    const end = { command: { status: 'completed', exit_code: 7 } };
    expect(await first.data(`/v2/commands/${command_id}?wait=true&wait_timeout=30`)).toMatchObject(end);
    // By this answer the turn of the event loop is over in which the end was acknowledged.
    await first.data('/v2/commands');
    await first.stop('SIGKILL');
    disk.empty();
    await using second = await DaemonProcess.start(disk.path, env);
    expect(await second.data(`/v2/commands/${command_id}`)).toMatchObject(end);
  });
});
