import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mayMount } from '../../../../scripts/testing/may-mount.ts';
import { ByteLog, SEGMENT_BYTES } from './byte-log.ts';
import { ByteLogWriter } from './byte-log-writer.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'byte-log-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function newLog(cap = 64 * 1024 * 1024): { log: ByteLog; writer: ByteLogWriter } {
  const log = new ByteLog(directory, 'c1', 'stdout');
  return { log, writer: new ByteLogWriter(log, cap) };
}

/** Bytes that contain their offset: each four of them are a counter. */
function counting(from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 4) bytes.writeUInt32LE(from + at, at);
  return bytes;
}

async function readAll(log: ByteLog, offset = 0, limit = 1024 * 1024): Promise<{ bytes: Buffer; gaps: number[][] }> {
  const parts: Buffer[] = [];
  const gaps: number[][] = [];
  for (let at = offset; at < log.end; ) {
    const slice = await log.read(at, limit);
    if (slice.offset > at) gaps.push([at, slice.offset]);
    parts.push(slice.bytes);
    at = slice.offset + slice.bytes.length;
  }
  return { bytes: Buffer.concat(parts), gaps };
}

describe('writing and reading', () => {
  test('a log without output touches no disk', () => {
    const { log, writer } = newLog();
    writer.close();
    expect(readdirSync(directory)).toEqual([]);
    expect(log).toMatchObject({ first: 0, end: 0, sealed: true, retainedBytes: 0 });
  });

  test('any offset and limit give exactly the bytes from there on', async () => {
    const { log, writer } = newLog();
    writer.write(Buffer.from('hello '));
    writer.write(Buffer.from('world'));
    expect(String((await log.read(3, 5)).bytes)).toBe('lo wo');
    expect(await log.read(11, 5)).toEqual({ offset: 11, bytes: Buffer.alloc(0) });
    expect(await log.read(99, 5)).toEqual({ offset: 11, bytes: Buffer.alloc(0) });
  });

  test('segments end at 8 MiB, and reads of every size cross them', async () => {
    const { log, writer } = newLog();
    const bytes = counting(0, SEGMENT_BYTES + 300_000);
    for (let at = 0; at < bytes.length; at += 65_536) writer.write(bytes.subarray(at, at + 65_536));
    expect(readdirSync(directory).sort()).toEqual(['c1.stdout.0', `c1.stdout.${SEGMENT_BYTES}`]);
    for (const limit of [100_000, 1024 * 1024, 100 * 1024 * 1024]) {
      expect((await readAll(log, 0, limit)).bytes.equals(bytes)).toBe(true);
    }
  });

  test('a small cap keeps at least its newer half and never more than itself', async () => {
    const cap = 20_000;
    const { log, writer } = newLog(cap);
    for (let at = 0; at < 200_000; at += 1_000) {
      writer.write(counting(at, 1_000));
      expect(log.retainedBytes).toBeLessThanOrEqual(cap);
      expect(log.retainedBytes).toBeGreaterThanOrEqual(Math.min(at + 1_000, cap / 2));
    }
    const onDisk = readdirSync(directory).reduce((sum, name) => sum + readFileSync(join(directory, name)).length, 0);
    expect(onDisk).toBe(log.retainedBytes);
    const { bytes, gaps } = await readAll(log);
    expect(gaps).toEqual([[0, log.first]]);
    expect(bytes).toEqual(counting(log.first, log.end - log.first));
  });

  test('a reader behind a writer that drops bytes gets the offset at which they continue', async () => {
    const { log, writer } = newLog(8_192);
    writer.write(counting(0, 4_096));
    const slow = log.read(0, 1_000);
    writer.write(counting(4_096, 40_960));
    expect((await slow).bytes).toEqual(counting(0, 1_000));
    const next = await log.read(1_000, 1_000);
    expect(next.offset).toBe(log.first);
    expect(next.bytes).toEqual(counting(log.first, 1_000));
  });

  test('a segment that is unlinked under a reader counts as dropped', async () => {
    const { log, writer } = newLog(20_000);
    writer.write(counting(0, 20_000));
    unlinkSync(log.pathOf(0));
    expect(await log.read(0, 16)).toEqual({ offset: 10_000, bytes: counting(10_000, 16) });
  });

  test('files are for the daemon alone', () => {
    const { log, writer } = newLog();
    writer.write(Buffer.from('x'));
    expect(execFileSync('stat', ['-c', '%a', log.pathOf(0)], { encoding: 'utf8' }).trim()).toBe('600');
  });

  test('a removed log has no files, and what still comes is only counted', async () => {
    const { log, writer } = newLog();
    writer.write(Buffer.from('abc'));
    await log.remove();
    writer.write(Buffer.from('def'));
    expect(readdirSync(directory)).toEqual([]);
    expect(log).toMatchObject({ first: 6, end: 6, retainedBytes: 0 });
  });
});

describe('waiting', () => {
  test('a thousand waiters wake at the first byte past their offset, once a turn', async () => {
    const { log, writer } = newLog();
    const signal = new AbortController().signal;
    const seen: number[] = [];
    const waiting = Array.from({ length: 1_000 }, (_, index) =>
      log.advanced(index % 2, signal).then(() => seen.push(log.end)),
    );
    writer.write(Buffer.from('a'));
    for (let step = 0; step < 10; step++) await Promise.resolve();
    writer.write(Buffer.from('b'));
    await Promise.all(waiting);
    expect(new Set(seen)).toEqual(new Set([2]));
  });

  test('nothing waits where there is something to read, and only the abort ends a wait for nothing', async () => {
    const { log, writer } = newLog();
    writer.write(Buffer.from('a'));
    await log.advanced(0);
    const controller = new AbortController();
    const order: string[] = [];
    const waits = log.advanced(1, controller.signal).then(() => order.push('woken'));
    await new Promise((resolve) => setImmediate(resolve));
    order.push('aborting');
    controller.abort();
    await waits;
    expect(order).toEqual(['aborting', 'woken']);
    await log.advanced(1, controller.signal);
  });

  test('the seal wakes all', async () => {
    const { log, writer } = newLog();
    const waiting = [log.advanced(0), log.advanced(100)];
    writer.close();
    await Promise.all(waiting);
    await log.advanced(100);
  });
});

describe('a disk that refuses', () => {
  test('a directory that is not there drops and counts, until it is', async () => {
    rmSync(directory, { recursive: true });
    const { log, writer } = newLog();
    writer.write(Buffer.from('lost'));
    expect(log).toMatchObject({ end: 4, retainedBytes: 0 });
    execFileSync('mkdir', [directory]);
    writer.write(Buffer.from('kept'));
    expect(await log.read(0, 100)).toEqual({ offset: 4, bytes: Buffer.from('kept') });
  });

  test.runIf(mayMount)(
    'a full disk keeps what fits, counts the rest and goes on when there is room (needs root to mount a small disk)',
    async () => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory]);
      const { log, writer } = newLog();
      try {
        writeFileSync(join(directory, 'ballast'), Buffer.alloc(32 * 1024));
        writer.write(counting(0, 100_000));
        const stored = log.retainedBytes;
        expect(stored).toBeGreaterThan(0);
        expect(stored).toBeLessThan(64 * 1024);
        writer.write(counting(100_000, 10_000));
        expect(log).toMatchObject({ end: 110_000, retainedBytes: stored });
        expect(readdirSync(directory).sort()).toEqual(['ballast', 'c1.stdout.0']);
        unlinkSync(join(directory, 'ballast'));
        writer.write(counting(110_000, 1_000));
        const { bytes, gaps } = await readAll(log);
        expect(gaps).toEqual([[stored, 110_000]]);
        expect(bytes).toEqual(Buffer.concat([counting(0, 100_000).subarray(0, stored), counting(110_000, 1_000)]));
      } finally {
        writer.close();
        execFileSync('umount', ['--lazy', directory]);
      }
    },
  );
});
