import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutputLog } from '../../core/output/output-log.ts';
import { Command, type CommandRecord } from './run/command.ts';
import { makeRoom } from './store/retention.ts';

const RECORD: Omit<CommandRecord, 'id' | 'status'> = {
  sessionId: null,
  command: '',
  user: null,
  startedAt: new Date(0).toISOString(),
  pid: 1,
  exitCode: null,
  signal: null,
  background: false,
  endedAt: null,
  usage: null,
  message: null,
  stdoutBytes: 0,
  stderrBytes: 0,
  hardTimeout: null,
  timedOut: false,
  idempotency: null,
};

/** A command with two segments of 50 bytes each. */
function command(directory: string, id: string, status: CommandRecord['status']): Command {
  const output = new OutputLog(directory, id);
  for (const start of [0, 50]) {
    writeFileSync(output.stdout.pathOf(start), 'x'.repeat(50));
    output.stdout.begin(start);
    output.stdout.advance(start + 50);
  }
  return new Command({ ...RECORD, id, status }, output, {});
}

test('a command that runs is never evicted: of what it wrote the oldest goes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'make-room-'));
  try {
    const running = command(directory, 'running', 'running');
    const [first, second] = ['first', 'second'].map((id) => command(directory, id, 'completed'));
    const all = [running, first, second].filter((one) => one !== undefined);
    expect(makeRoom(all, 200).map(({ id }) => id)).toEqual(['first']);
    expect(running.output.retainedBytes).toBe(100);
    expect(makeRoom([running], 60)).toEqual([]);
    expect(running.output.retainedBytes).toBe(50);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
