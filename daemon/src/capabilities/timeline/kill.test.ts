import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';

interface Event {
  readonly seq: number;
  readonly kind: string;
  readonly refs: Record<string, string>;
  readonly data: Record<string, unknown>;
}

const ENV = { SVC_RECORD: 'on' };

async function eventsOf(daemon: DaemonProcess, after = 0): Promise<Event[]> {
  const { events } = await daemon.data(`/v2/timeline?after=${after}&limit=1000`);
  return events;
}

test('[timeline.kill] after SIGKILL the numbers continue, the gap is marked, and what was read stays', async () => {
  await using place = await tempDir();
  await using first = await DaemonProcess.start(place.path, ENV);
  const { command_id } = await first.data('/v2/commands', { command: 'sleep 600', mode: 'async' });
  for (const n of [1, 2, 3]) await first.data('/v2/commands', { command: `echo ${n}` });
  const read = await eventsOf(first);
  expect(read.map(({ seq }) => seq)).toEqual(read.map((_, index) => index + 1));
  void first.data('/v2/commands', { command: 'echo last' }).catch(() => undefined);
  await first.stop('SIGKILL');

  await using second = await DaemonProcess.start(place.path, ENV);
  const all = await eventsOf(second);
  expect(all.slice(0, read.length)).toEqual(read);
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
  const restart = all.findLastIndex(({ kind }) => kind === 'daemon.started');
  expect(all[restart]).toMatchObject({ data: { restart: true, gap: true } });
  const found = all.slice(restart).find(({ kind }) => kind === 'command.found');
  // The portable host ends its commands with the daemon.
  if (found !== undefined) expect(found).toMatchObject({ refs: { command_id }, data: { command: 'sleep 600' } });
  await second.data(`/v2/commands/${command_id}/kill`, { signal: 'SIGKILL' });
  await second.stop('SIGTERM');

  await using third = await DaemonProcess.start(place.path, ENV);
  const last = (await eventsOf(third)).filter(({ kind }) => kind === 'daemon.started');
  expect(last.map(({ data }) => data['gap'])).toEqual([false, true, false]);
  const ended = (await eventsOf(third)).filter(
    ({ kind, refs }) => kind === 'command.ended' && refs['command_id'] === command_id,
  );
  expect(ended).toHaveLength(1);
});
