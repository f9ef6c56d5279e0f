import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { AgeClock } from '../../core/clock/age-clock.ts';
import { eventsAfter } from './query/find-events.ts';
import { Redactor } from './redactor.ts';
import { EventWriter } from './store/event-writer.ts';
import { Segments } from './store/segments.ts';

const KEY = 'sesame-street-42-and-more';

function writerIn(directory: string, maxBytes: number): { segments: Segments; writer: EventWriter } {
  const segments = new Segments(directory, maxBytes);
  const redactor = new Redactor({ patterns: [], tickets: { size: 0, has: () => false } });
  return { segments, writer: new EventWriter(segments, redactor, AgeClock.ofProcess()) };
}

const ALL = { kinds: [], before: undefined, limit: 1000 } as const;

test('[timeline.many] 10,000 events are kept in order, in several files, and paged without loss', async () => {
  await using place = await tempDir();
  const { segments, writer } = writerIn(place.path, 8 * 1024 ** 2);
  for (let n = 1; n <= 10_000; n++) {
    writer.add({
      kind: 'command.begun',
      actor: null,
      refs: { commandId: `c${n}` },
      data: { command: `echo ${n}`.padEnd(200) },
    });
  }
  writer.flush();
  expect(segments.all.length).toBeGreaterThan(2);
  const found: string[] = [];
  for (let after = 0; ; ) {
    const page = await eventsAfter(segments.all, { ...ALL, after });
    found.push(...page.events.map(({ seq, refs }) => `${seq} ${refs['command_id']}`));
    after = page.cursor;
    if (!page.more) break;
  }
  expect(found).toEqual(Array.from({ length: 10_000 }, (_, index) => `${index + 1} c${index + 1}`));
  writer[Symbol.dispose]();
});

test('[timeline.bounds] beyond its bytes the oldest events are removed, and a next writer continues', async () => {
  await using place = await tempDir();
  const maxBytes = 1024 ** 2;
  const { writer } = writerIn(place.path, maxBytes);
  const text = 'x'.repeat(1500);
  for (let n = 1; n <= 2000; n++) writer.add({ kind: 'file.written', actor: null, refs: {}, data: { text } });
  writer[Symbol.dispose]();
  const bytes = readdirSync(place.path).reduce((sum, name) => sum + statSync(join(place.path, name)).size, 0);
  expect(bytes).toBeLessThanOrEqual(maxBytes);
  expect(bytes).toBeGreaterThan(maxBytes / 2);
  const next = writerIn(place.path, maxBytes);
  expect(next.segments.next).toBe(2001);
  const page = await eventsAfter(next.segments.all, { ...ALL, after: 0 });
  expect(page.events[0]?.seq).toBe(next.segments.all[0]?.first);
  expect(page.events[0]?.seq).toBeGreaterThan(1000);
  next.writer[Symbol.dispose]();
});

test('[timeline.commands] ranges that follow each other are one, and come before another event of the same thing', async () => {
  await using place = await tempDir();
  const { segments, writer } = writerIn(place.path, 1024 ** 2);
  const ref = ['sessionId', 's'] as const;
  for (const from of [0, 10, 20]) writer.grow({ kind: 'terminal.output', actor: null, ref, from, to: from + 10 });
  writer.grow({ kind: 'terminal.output', actor: null, ref: ['sessionId', 'other'], from: 0, to: 5 });
  writer.add({ kind: 'terminal.resized', actor: null, refs: { sessionId: 's' }, data: { cols: 80 } });
  for (const from of [30, 50]) writer.grow({ kind: 'terminal.output', actor: null, ref, from, to: from + 10 });
  writer.flush();
  const { events } = await eventsAfter(segments.all, { ...ALL, after: 0 });
  expect(events.map(({ kind, refs, data }) => [kind, refs['session_id'], data['from'], data['to']])).toEqual([
    ['terminal.output', 's', 0, 30],
    ['terminal.resized', 's', undefined, undefined],
    ['terminal.output', 's', 30, 40],
    ['terminal.output', 'other', 0, 5],
    ['terminal.output', 's', 50, 60],
  ]);
  writer[Symbol.dispose]();
});

test('[timeline.kill] a line that a kill cut is left out, its number is given again, and no reader sees what is behind', async () => {
  await using place = await tempDir();
  const add = (writer: EventWriter, n: number): void =>
    writer.add({ kind: 'command.begun', actor: null, refs: { commandId: `c${n}` }, data: {} });
  const killed = writerIn(place.path, 1024 ** 2);
  add(killed.writer, 1);
  add(killed.writer, 2);
  killed.writer.flush();
  const [segment] = killed.segments.all;
  // As write(2) leaves it that was cut, with the zeros of the reserve behind it.
  const file = openSync(segment?.path ?? '', 'r+');
  writeSync(file, '{"seq":3,"at":"2026-', segment?.bytes ?? 0);
  closeSync(file);
  const next = writerIn(place.path, 1024 ** 2);
  expect([next.segments.next, next.segments.lastKind]).toEqual([3, 'command.begun']);
  add(next.writer, 3);
  next.writer.flush();
  const { events } = await eventsAfter(next.segments.all, { ...ALL, after: 0 });
  expect(events.map(({ seq, refs }) => [seq, refs['command_id']])).toEqual([1, 2, 3].map((n) => [n, `c${n}`]));
  next.writer[Symbol.dispose]();
});

test('[timeline.full-disk] a directory that cannot be used costs the timeline, not the start', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxd-test-'));
  try {
    await writeFile(join(directory, 'timeline'), 'a file');
    await using daemon = await TestApp.start({ record: 'on' }, directory);
    const answer = await daemon.inject('/v2/timeline');
    expect([answer.statusCode, answer.json().message]).toEqual([503, expect.stringMatching(/no timeline is kept: E/)]);
    expect((await daemon.run('exit 3')).exit_code).toBe(3);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('[timeline.secrets] keys, tickets, cookies and matches of the operator are in no file and no answer', async () => {
  await using place = await tempDir();
  const named = { name: 'ci', sha256: createHash('sha256').update('named-key-77').digest('hex'), scopes: ['all'] };
  const other = { name: 'ops', key: 'other-key-88-ops', scopes: ['all'] };
  const accessKeysFile = join(place.path, 'keys');
  await writeFile(accessKeysFile, [named, other].map((key) => JSON.stringify(key)).join('\n'));
  await using daemon = await TestApp.start({
    record: 'on',
    apiKey: KEY,
    accessKeysFile,
    recordRedact: [/tok_[a-z0-9]+/gu],
  });
  const headers = { 'x-api-key': 'named-key-77', 'x-actor': `agent ${KEY}` };
  const { ticket } = (await daemon.post('/v2/tickets', { path_prefix: '/terminal/' }, headers)).json().data;
  const cookie = `svc_session=${KEY.length}abc.def`;
  const encoded = Buffer.from(KEY).toString('base64');
  const command = `echo ${KEY} ${encoded} other-key-88-ops 'u?ticket=${ticket}&a' '${cookie}' tok_0123 shown`;
  await daemon.post('/v2/commands', { command }, headers);
  await daemon.post('/v2/commands', { command: `echo ${'x'.repeat(3000)} ${KEY}` }, headers);
  const read = await daemon.inject({ url: '/v2/timeline', headers });
  const [begun] = read.json().data.events.filter(({ kind }: { kind: string }) => kind === 'command.begun');
  expect(begun).toMatchObject({ actor: { key: 'ci', claimed: 'agent [redacted]' } });
  expect(begun.data.command).toBe(
    "echo [redacted] [redacted] [redacted] 'u?ticket=[redacted]&a' 'svc_session=[redacted]' [redacted] shown",
  );
  const directory = join(daemon.directory, 'timeline');
  const texts = [read.body, ...readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'))];
  expect(texts.length).toBeGreaterThan(1);
  for (const secret of [KEY, 'other-key-88-ops', ticket, 'abc.def', 'tok_0123']) {
    for (const text of texts) expect([secret, text.includes(secret)]).toEqual([secret, false]);
  }
});

test('[timeline.scopes] scopes of paths do not suffice', async () => {
  await using place = await tempDir();
  const accessKeysFile = join(place.path, 'keys');
  const keys = [
    { name: 'reader', key: 'reader-key-1', scopes: ['read'] },
    { name: 'files', key: 'files-key-22', scopes: ['files:/', 'view'] },
  ];
  await writeFile(accessKeysFile, keys.map((key) => JSON.stringify(key)).join('\n'));
  await using daemon = await TestApp.start({ record: 'on', accessKeysFile });
  const statusOf = async (key: string): Promise<number> =>
    (await daemon.inject({ url: '/v2/timeline', headers: { 'x-api-key': key } })).statusCode;
  expect([await statusOf('reader-key-1'), await statusOf('files-key-22')]).toEqual([200, 403]);
});
