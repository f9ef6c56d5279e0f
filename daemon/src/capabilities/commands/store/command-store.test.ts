import { createLogger } from '@sandbox/program/logger.ts';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { Activity } from '../../../core/activity/activity.ts';
import { AgeClock } from '../../../core/clock/age-clock.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { RuntimeDir } from '../../../core/runtime-dir.ts';
import { Command, endedNow, newRecord } from '../run/command.ts';
import { CommandStore } from './command-store.ts';

const LIMITS = { maxRecords: 1, maxAgeMs: 60_000, maxBytes: 1_000_000 };

test('[keep.records] what a sweep drops stays dropped after a restart, with implicit sessions that have no command left', async () => {
  await using directory = await tempDir();
  await using runtime = await RuntimeDir.open(directory.path);
  const logger = createLogger('test', 'silent');
  const clock = AgeClock.ofProcess();
  const open = () => CommandStore.open({ runtime, logger, clock, activity: new Activity(clock) }, 10, LIMITS);
  const { store } = open();
  for (const id of ['gone', 'left', 'named']) store.createSession({ id, implicit: id !== 'named' });
  const add = (id: string, sessionId: string): void => {
    const ended = { status: 'completed', ...endedNow(clock) } as const;
    const record = newRecord({ id, command: '', sessionId, startedTick: clock.now(), ...ended });
    store.announce(record);
    store.add(new Command(record, OutputLog.empty(directory.path, id), {}));
  };
  add('1', 'gone');
  add('2', 'left');
  add('3', 'named');
  add('4', 'left');
  store.sweep();
  const known = ({ all, sessions }: { all: Iterable<{ id: string }>; sessions: Iterable<{ id: string }> }) => [
    Array.from(all, ({ id }) => id),
    Array.from(sessions, ({ id }) => id),
  ];
  expect(known({ all: store.all(), sessions: store.sessions.list() })).toEqual([['4'], ['left', 'named']]);
  store[Symbol.dispose]();
  const { store: again, records } = open();
  expect(known({ all: records.values(), sessions: again.sessions.list() })).toEqual([['4'], ['left', 'named']]);
  again[Symbol.dispose]();
});
