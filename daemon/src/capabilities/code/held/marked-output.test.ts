import { mkdtempSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ORDER_FILE_ENTRIES } from '../../../core/output/order-log.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { OutputLogWriter } from '../../../core/output/output-log-writer.ts';
import type { OutputEvent, StreamName } from '../runtime/output.ts';
import { MARK_BYTES, markName } from './cell-mark.ts';
import { MarkedOutput } from './marked-output.ts';

const TOKEN = 'secret';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'marked-output-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** The streams of an interpreter, and what its cells write to them. */
class Streams {
  readonly log = new OutputLog(directory, 'code-1');
  readonly output = new MarkedOutput(this.log, TOKEN);
  readonly #writer: OutputLogWriter;

  constructor(cap = 64 * 1024 * 1024) {
    this.#writer = new OutputLogWriter(this.log, cap);
  }

  write(stream: StreamName, text: string): void {
    this.#writer.write(stream, Buffer.from(text));
  }

  mark(cell: string): void {
    for (const stream of ['stdout', 'stderr'] as const) this.write(stream, `\x1e${markName(TOKEN, cell)} 0\x1e`);
  }

  async copied(cell: string): Promise<string[]> {
    const events: string[] = [];
    const sink = { write: (event: OutputEvent) => void (event.type === 'stream' && events.push(event.text)) };
    expect(await this.output.copy(cell, sink, new AbortController().signal)).toBe(0);
    return events;
  }
}

test('a cell has its outputs in the order of arrival, whatever the cells before it wrote', async () => {
  const streams = new Streams();
  for (let count = 0; count < ORDER_FILE_ENTRIES / 2 + 4; count += 1) {
    streams.write('stderr', 'e');
    streams.write('stdout', 'o');
  }
  streams.mark('first');
  unlinkSync(streams.log.order.pathOf(0));
  streams.output.skip();
  streams.write('stderr', 'a');
  streams.write('stdout', 'b');
  streams.write('stderr', 'c');
  streams.mark('second');
  expect((await streams.copied('second')).join('')).toBe('abc');
});

test('beside the mark alone of one stream the other is whole', async () => {
  const streams = new Streams();
  for (const name of ['stdout', 'stderr'] as const) {
    streams.output.skip();
    streams.write(name, `of ${name}`);
    streams.mark(name);
    expect(await streams.copied(name)).toEqual([`of ${name}`]);
  }
  streams.output.skip();
  streams.mark('silent');
  expect(await streams.copied('silent')).toEqual([]);
});

test.each([1, 20, MARK_BYTES - 10])(
  'of the mark of the cell before, a segment holds the first %i bytes',
  async (held) => {
    const streams = new Streams(8192);
    const mark = `\x1e${markName(TOKEN, 'first')} 0\x1e`;
    streams.write('stdout', `${'x'.repeat(4096 - held)}${mark}second`);
    streams.write('stderr', mark);
    streams.mark('second');
    expect(streams.log.stdout.segmentCount).toBe(2);
    await streams.output.rewind('second');
    expect((await streams.copied('second')).join('')).toBe('second');
  },
);

test('a mark that arrives in pieces ends the cell', async () => {
  const streams = new Streams();
  streams.output.skip();
  const copied = streams.copied('cell');
  const mark = `\x1e${markName(TOKEN, 'cell')} 0\x1e`;
  for (const letter of mark) streams.write('stdout', letter);
  streams.write('stderr', `late${mark}`);
  expect((await copied).join('')).toBe('late');
});
