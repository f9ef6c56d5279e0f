import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { AgeClock } from '../../../core/clock/age-clock.ts';
import { Redactor } from '../redactor.ts';
import { EventWriter } from '../store/event-writer.ts';
import { Segments, stateFileOf } from '../store/segments.ts';
import { timelineOf } from '../timeline.fixture.ts';
import { StateReader } from './state-reader.ts';

test('[timeline.state] at each event the commands, terminals, cells and files of that moment are known', async () => {
  await using daemon = await TestApp.start({ record: 'on' });
  await using place = await tempDir();
  const stateAt = async (seq: number | undefined) => (await daemon.inject(`/v2/timeline/at/${seq}`)).json().data;
  const { command_id } = await daemon.run('sleep 600', { mode: 'async' });
  await daemon.post('/v2/pty/sessions', { session_id: 't', cols: 100, rows: 30 });
  await daemon.inject({ method: 'PATCH', url: '/v2/pty/sessions/t', payload: { cols: 90, rows: 20 } });
  await daemon.post('/v2/fs/write', { path: `${place.path}/a`, content: 'x' });
  await daemon.post('/v2/fs/move', { source: `${place.path}/a`, destination: `${place.path}/b` });
  await daemon.post(`/v2/commands/${command_id}/kill`, { signal: 'SIGKILL' });
  await daemon.inject(`/v2/commands/${command_id}?wait=true&stream=true`);
  await daemon.inject({ method: 'DELETE', url: '/v2/pty/sessions/t' });
  const { events, last_seq } = await timelineOf(daemon, { after: '0' });
  const seqOf = (kind: string): number | undefined => events.find((event) => event.kind === kind)?.seq;

  const opened = await stateAt(seqOf('terminal.opened'));
  expect(opened).toMatchObject({
    whole: true,
    commands: [{ command_id, command: 'sleep 600', since_seq: 2 }],
    terminals: [{ session_id: 't', cols: 100, rows: 30 }],
    files: [],
  });
  const moved = await stateAt(seqOf('file.moved'));
  expect(moved.terminals).toMatchObject([{ cols: 90, rows: 20 }]);
  expect(moved.files.map(({ path, kind }: { path: string; kind: string }) => [path, kind])).toEqual([
    [`${place.path}/a`, 'file.moved'],
    [`${place.path}/b`, 'file.moved'],
  ]);
  expect((await stateAt(seqOf('command.ended'))).commands).toEqual([]);
  const end = await stateAt(last_seq);
  expect([end.seq, end.commands, end.terminals, end.file_count]).toEqual([last_seq, [], [], 3]);
  for (const [seq, status] of [
    ['0', 422],
    [`${last_seq + 100}`, 404],
  ]) {
    expect((await daemon.inject(`/v2/timeline/at/${seq}`)).statusCode).toBe(status);
  }
});

test('[timeline.state] a state over many files is that of all events, and is kept where a file begins', async () => {
  await using place = await tempDir();
  const segments = new Segments(place.path, 1024 ** 2);
  const tickets = { size: 0, has: () => false };
  const writer = new EventWriter(segments, new Redactor({ patterns: [], tickets }), AgeClock.ofProcess());
  // Every third command ends, so that the others run at the end.
  for (let n = 1; n <= 600; n++) {
    const refs = { commandId: `c${n}` };
    writer.add({ kind: 'command.begun', actor: null, refs, data: { command: `run ${n}`.padEnd(400) } });
    if (n % 3 !== 0) writer.add({ kind: 'command.ended', actor: null, refs, data: {} });
    if (n % 50 === 0) writer.flush();
  }
  writer.flush();
  expect(segments.all.length).toBeGreaterThan(2);
  const reader = new StateReader(segments);
  const { commands, isWhole } = await reader.at(writer.last);
  const running = Array.from({ length: 200 }, (_, index) => `c${3 * (index + 1)}`);
  expect([commands.map(({ command_id }) => command_id), isWhole]).toEqual([running, true]);
  expect(segments.all.slice(1).map((segment) => existsSync(stateFileOf(segment)))).not.toContain(false);
  expect((await reader.at(writer.last)).commands).toEqual(commands);
  segments.clear();
  expect(existsSync(stateFileOf({ path: place.path }))).toBe(false);
  writer[Symbol.dispose]();
});
