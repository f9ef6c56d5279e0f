import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mayMount } from '../../../../scripts/testing/may-mount.ts';
import { AgeClock } from '../../core/clock/age-clock.ts';
import { eventsAfter } from './query/find-events.ts';
import { Redactor } from './redactor.ts';
import { EventWriter } from './store/event-writer.ts';
import { Segments } from './store/segments.ts';

const ALL = { kinds: [], before: undefined, limit: 1000, after: 0 } as const;

test.runIf(mayMount)('[timeline.full-disk] a full disk drops events and says which; what was kept stays', async () => {
  const disk = await mkdtemp(join(tmpdir(), 'sandboxd-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]);
  try {
    const open = () => {
      const segments = new Segments(join(disk, 'timeline'), 64 * 1024 ** 2);
      const redactor = new Redactor({ patterns: [], tickets: { size: 0, has: () => false } });
      return { segments, writer: new EventWriter(segments, redactor, AgeClock.ofProcess()) };
    };
    const { segments, writer } = open();
    const add = (count: number): void => {
      for (let n = 0; n < count; n++) {
        writer.add({ kind: 'command.begun', actor: null, refs: {}, data: { command: 'x'.repeat(900) } });
      }
      writer.flush();
    };
    add(3);
    await writeFile(join(disk, 'ballast'), Buffer.alloc(16 * 1024 ** 2)).catch(() => undefined);
    // What the journal had allocated before may take some.
    for (let n = 0; n < 50 && writer.counts.dropped === 0; n++) add(5);
    const { dropped } = writer.counts;
    expect(dropped).toBeGreaterThan(0);
    const during = (await eventsAfter(segments.all, ALL)).events;
    expect(during.slice(0, 3).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(during.at(-1)).toMatchObject({ kind: 'dropped', data: { reason: 'disk_full' } });
    // Beyond what the reserve has room for, the number is said to readers until there is room.
    for (let n = 0; n < 200 && writer.dropped === undefined; n++) add(1);
    expect(writer.dropped).toMatchObject({ reason: 'disk_full' });
    await rm(join(disk, 'ballast'));
    add(2);
    expect(writer.dropped).toBeUndefined();
    writer[Symbol.dispose]();

    const next = open();
    const { events } = await eventsAfter(next.segments.all, ALL);
    const named = events.flatMap(({ kind, data, seq }) =>
      kind === 'dropped' ? range(Number(data['first_seq']), Number(data['last_seq'])) : [seq],
    );
    expect(named).toEqual(range(1, next.segments.next - 1));
    next.writer[Symbol.dispose]();
  } finally {
    execFileSync('umount', ['-l', disk]);
    await rmdir(disk);
  }
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
