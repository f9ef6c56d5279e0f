import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { kindsOf, timelineOf } from '../timeline.fixture.ts';

test('[timeline.off] the capabilities say whether events are recorded', async () => {
  for (const record of ['off', 'on'] as const) {
    await using daemon = await TestApp.start({ record });
    const { capabilities } = (await daemon.inject('/v2/sandbox')).json().data;
    expect([record, capabilities.timeline]).toEqual([record, record === 'on']);
  }
});

test('[timeline.off] without SVC_RECORD nothing is kept, and the route says how to change that', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.inject('/v2/timeline');
  expect([answer.statusCode, answer.json().hint]).toEqual([501, 'start the service with SVC_RECORD=on']);
});

test('[timeline.commands] a command is begun, gets input, is signalled and ends, in one order with ids and ranges', async () => {
  await using daemon = await TestApp.start({ record: 'on' });
  const { command_id } = await daemon.run('cat; sleep 600', { mode: 'async' });
  for (const text of ['one\n', 'two\n']) {
    await daemon.inject({
      method: 'POST',
      url: `/v2/commands/${command_id}/stdin`,
      headers: { 'content-type': 'application/octet-stream', 'x-actor': 'planner \u0007of tests' },
      payload: text,
    });
  }
  const output = async () => (await daemon.inject(`/v2/commands/${command_id}`)).json().data.offset;
  await expect.poll(output).toBe(8);
  await daemon.post(`/v2/commands/${command_id}/kill`, { signal: 'SIGKILL' });
  await daemon.inject(`/v2/commands/${command_id}?wait=true&wait_timeout=60`);
  const { events, cursor, last_seq } = await timelineOf(daemon, { kinds: 'command' });
  expect(kindsOf(events)).toEqual(['command.begun', 'command.input', 'command.signalled', 'command.ended']);
  const [begun, input, signalled, ended] = events;
  for (const event of events) expect(event.refs).toMatchObject({ command_id });
  expect(begun).toMatchObject({
    actor: { key: null, protocol: 'v2', claimed: null },
    data: { command: 'cat; sleep 600', cwd: expect.stringMatching(/^\//) },
  });
  expect(input).toMatchObject({ actor: { claimed: 'planner of tests' }, data: { from: 0, to: 8 } });
  expect(signalled).toMatchObject({ data: { signal: 'SIGKILL' } });
  expect(ended).toMatchObject({ actor: null, data: { status: 'killed', signal: 'SIGKILL', stdout_bytes: 8 } });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => (events[0]?.seq ?? 0) + index));
  expect([cursor <= last_seq, Date.parse(begun?.at ?? '') <= Date.now()]).toEqual([true, true]);
});

test('[timeline.pages] pages go in both directions, and a wait ends with the next event', async () => {
  await using daemon = await TestApp.start({ record: 'on' });
  for (const n of [1, 2, 3]) await daemon.run(`echo ${n}`);
  const newest = await timelineOf(daemon, { limit: '2', kinds: 'command.begun' });
  expect(newest.events.map(({ data }) => data['command'])).toEqual(['echo 2', 'echo 3']);
  expect(newest.more).toBe(true);
  const before = await timelineOf(daemon, { limit: '2', kinds: 'command.begun', before: `${newest.cursor}` });
  expect([before.events.map(({ data }) => data['command']), before.more]).toEqual([['echo 1'], false]);
  const first = await timelineOf(daemon, { after: '0', limit: '3' });
  expect([kindsOf(first.events), first.more]).toEqual([['daemon.started', 'command.begun', 'command.ended'], true]);
  const next = await timelineOf(daemon, { after: `${first.cursor}` });
  expect(next.events[0]?.seq).toBe(first.cursor + 1);

  const waiting = timelineOf(daemon, { after: `${next.cursor}`, wait: '60', q: 'hello' });
  await daemon.run('echo other');
  await daemon.run('echo hello');
  expect((await waiting).events).toMatchObject([{ kind: 'command.begun', data: { command: 'echo hello' } }]);
});

test('[timeline.times] a time is a bound too, and faults name what was expected', async () => {
  await using daemon = await TestApp.start({ record: 'on' });
  await daemon.run('true');
  const all = await timelineOf(daemon);
  const [first] = all.events;
  const after = await timelineOf(daemon, { after: '2020-01-01T00:00:00Z' });
  expect(after.events).toEqual(all.events);
  expect((await timelineOf(daemon, { before: '2020-01-01T00:00:00+02:00' })).events).toEqual([]);
  expect((await timelineOf(daemon, { after: '2100-01-01T00:00:00Z' })).events).toEqual([]);
  expect(first).toMatchObject({ seq: 1, kind: 'daemon.started', actor: null, data: { restart: false, gap: false } });
  for (const [query, said] of [
    ['after=yesterday', 'expected the seq of an event, or a time'],
    ['kinds=command,none', 'expected any of command, terminal'],
    ['wait=61', 'wait'],
  ]) {
    const answer = await daemon.inject(`/v2/timeline?${query}`);
    expect([answer.statusCode, answer.body]).toEqual([422, expect.stringContaining(said ?? '')]);
  }
});

test('[timeline.restart] after an orderly restart the numbers continue without a gap', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxd-test-'));
  try {
    await using before = await TestApp.start({ record: 'on' }, directory);
    await before.run('echo before');
    await before.app.close();
    await using daemon = await TestApp.start({ record: 'on' }, directory);
    await daemon.run('echo after');
    const { events } = await timelineOf(daemon, { after: '0' });
    expect(kindsOf(events)).toEqual([
      'daemon.started',
      'command.begun',
      'command.ended',
      'daemon.stopped',
      'daemon.started',
      'command.begun',
      'command.ended',
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(events[4]?.data).toMatchObject({ restart: true, gap: false });
    expect(events.map(({ tick }) => tick)).toEqual(events.map(({ tick }) => tick).toSorted((a, b) => a - b));
  } finally {
    await rm(directory, { recursive: true });
  }
});
