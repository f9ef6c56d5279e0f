import { mkdtempSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ORDER_FILE_ENTRIES, ORDER_FILES } from './order-log.ts';
import { findOutputLogs, OutputLog } from './output-log.ts';
import { OutputLogWriter } from './output-log-writer.ts';

const CAP = 64 * 1024 * 1024;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'output-log-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function newLog(cap = CAP): { log: OutputLog; writer: OutputLogWriter } {
  const log = new OutputLog(directory, 'c.1');
  return { log, writer: new OutputLogWriter(log, cap) };
}

/** Writes `oeo…`: a byte to stdout for each o, to stderr for each e. */
function speak(writer: OutputLogWriter, words: string): void {
  for (const letter of words) writer.write(letter === 'o' ? 'stdout' : 'stderr', Buffer.from(letter));
}

function spoken(log: OutputLog, from = { stdout: 0, stderr: 0 }, since = 0): string {
  const runs = log.runs(from.stdout, log.stdout.end, from.stderr, log.stderr.end, since);
  return runs.map(({ stream, start, end }) => (stream === 'stdout' ? 'o' : 'e').repeat(end - start)).join('');
}

test('streams that alternate are reported in the order of their arrival', async () => {
  const { log, writer } = newLog();
  speak(writer, 'ooeeeoeo');
  expect(spoken(log)).toBe('ooeeeoeo');
  expect(spoken(log, { stdout: 2, stderr: 1 })).toBe('eeoeo');
  expect(log.runs(1, 3, 0, 2)).toEqual([
    { stream: 'stdout', start: 1, end: 2 },
    { stream: 'stderr', start: 0, end: 2 },
    { stream: 'stdout', start: 2, end: 3 },
  ]);
});

test('a reader that remembers the number of switches reads the later ones alone', () => {
  const { log, writer } = newLog();
  speak(writer, 'eo'.repeat(ORDER_FILE_ENTRIES / 2 + 3));
  const [from, since] = [{ stdout: log.stdout.end, stderr: log.stderr.end }, log.order.count];
  unlinkSync(log.order.pathOf(0));
  speak(writer, 'ooeeeo');
  expect(spoken(log, from, since)).toBe('ooeeeo');
  expect(spoken(log, from, since - 2)).toBe('ooeeeo');
});

test('one stream alone needs no order file', async () => {
  const { log, writer } = newLog();
  speak(writer, 'eee');
  expect(readdirSync(directory)).toEqual(['c.1.stderr.0']);
  expect(spoken(log)).toBe('eee');
});

test('an order file has 8 bytes a switch: which stream finished, and where', async () => {
  const { writer } = newLog();
  speak(writer, 'ooeo');
  const log = findOutputLogs(directory).get('c.1');
  expect(log?.order.count).toBe(2);
  expect(log?.order.entries(0)).toEqual([
    { stream: 'stdout', end: 2 },
    { stream: 'stderr', end: 1 },
  ]);
});

test('offsets past 4 GiB keep their order', async () => {
  const { log, writer } = newLog();
  log.stdout.begin(0x1_2345_6789_0000);
  speak(writer, 'oe');
  expect(log.runs(log.stdout.first, log.stdout.end, 0, 1)).toEqual([
    { stream: 'stdout', start: 0x1_2345_6789_0000, end: 0x1_2345_6789_0001 },
    { stream: 'stderr', start: 0, end: 1 },
  ]);
});

test('order that is forgotten falls back to stdout before stderr, and the rest stays exact', async () => {
  const { log, writer } = newLog(8_192);
  log.order.advance(ORDER_FILE_ENTRIES * (ORDER_FILES - 1));
  writeFileSync(log.order.pathOf(0), '');
  speak(writer, 'eo'.repeat(ORDER_FILE_ENTRIES / 2 + 5));
  const order = readdirSync(directory).filter((name) => name.includes('order'));
  expect(order.sort()).toEqual(['c.1.order.31', 'c.1.order.32']);
  expect(log.order.firstFile).toBe(1);
  const runs = log.runs(0, log.stdout.end, 0, log.stderr.end);
  expect(runs.slice(0, 4)).toEqual([
    { stream: 'stdout', start: 0, end: 1 },
    { stream: 'stderr', start: 0, end: 2 },
    { stream: 'stdout', start: 1, end: 2 },
    { stream: 'stderr', start: 2, end: 3 },
  ]);
  for (const stream of ['stdout', 'stderr'] as const) {
    const bytes = runs.filter((run) => run.stream === stream).reduce((sum, { start, end }) => sum + end - start, 0);
    expect(bytes).toBe(log[stream].end);
  }
});

test('an order file that is lost costs the order, not the bytes', async () => {
  const { log, writer } = newLog();
  speak(writer, 'eoeo');
  unlinkSync(log.order.pathOf(0));
  expect(spoken(log)).toBe('ooee');
});

test('after a restart the files alone give back what was kept', async () => {
  const { log, writer } = newLog(8_192);
  writer.write('stdout', Buffer.alloc(20_000, 'a'));
  writer.write('stderr', Buffer.from('b'));
  writer.write('stdout', Buffer.from('c'));
  writeFileSync(join(directory, 'something-else'), '');
  const found = findOutputLogs(
    directory,
    new Map([
      ['silent', { stdout: 7, stderr: 0 }],
      ['c.1', { stdout: 5, stderr: 9 }],
    ]),
  );
  expect([...found.keys()].sort()).toEqual(['c.1', 'silent']);
  const again = found.get('c.1');
  expect(again?.stdout).toMatchObject({ first: log.stdout.first, end: 20_001, sealed: true });
  expect(again?.stderr).toMatchObject({ first: 0, end: 9, sealed: true });
  expect(String((await again?.stdout.read(19_999, 10))?.bytes)).toBe('ac');
  expect(again?.runs(19_999, 20_001, 0, 1)).toEqual(log.runs(19_999, 20_001, 0, 1));
  expect(found.get('silent')?.stdout).toMatchObject({ first: 7, end: 7, retainedBytes: 0 });
  expect(findOutputLogs(join(directory, 'nowhere')).size).toBe(0);
});

test('trimming drops the oldest segments of the larger stream, but not the one being written', async () => {
  const { log, writer } = newLog(40_000);
  writer.write('stdout', Buffer.alloc(40_000));
  writer.write('stderr', Buffer.alloc(10_000));
  expect(log.trimTo(30_000)).toBe(20_000);
  expect(log.stdout.first).toBe(20_000);
  expect(log.trimTo(0)).toBe(0);
  writer.close('stdout');
  writer.close('stderr');
  expect(log.trimTo(0)).toBe(30_000);
  expect(readdirSync(directory).filter((name) => !name.includes('order'))).toEqual([]);
});

test('removing leaves no file, whatever is still written', async () => {
  const { log, writer } = newLog();
  speak(writer, 'oeo');
  await log.remove();
  speak(writer, 'eoeo');
  expect(readdirSync(directory)).toEqual([]);
  expect(log.stdout.end).toBe(4);
});
