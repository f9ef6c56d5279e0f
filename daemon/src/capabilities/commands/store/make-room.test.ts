import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutputLog } from '../../../core/output/output-log.ts';
import { Command, type CommandRecord, newRecord } from '../run/command.ts';
import { IDEMPOTENCY_MS } from './idempotency.ts';
import { makeRoom } from './retention.ts';

/** A command with two segments of 50 bytes each. */
function command(
  directory: string,
  id: string,
  status: CommandRecord['status'],
  idempotency: CommandRecord['idempotency'] = null,
): Command {
  const output = new OutputLog(directory, id);
  for (const start of [0, 50]) {
    writeFileSync(output.stdout.pathOf(start), 'x'.repeat(50));
    output.stdout.begin(start);
    output.stdout.advance(start + 50);
  }
  if (status === 'completed') output.seal({ stdout: 100, stderr: 0 });
  return new Command(newRecord({ id, command: 'true', startedTick: 0, status, idempotency }), output, {});
}

test('a running command is never evicted: its oldest output is dropped', () => {
  const directory = mkdtempSync(join(tmpdir(), 'make-room-'));
  try {
    const running = command(directory, 'running', 'running');
    const [first, second] = ['first', 'second'].map((id) => command(directory, id, 'completed'));
    const all = [running, first, second].filter((one) => one !== undefined);
    expect(makeRoom(all, 200, 0).map(({ id }) => id)).toEqual(['first']);
    expect(running.output.retainedBytes).toBe(100);
    expect(makeRoom([running], 60, 0)).toEqual([]);
    expect(running.output.retainedBytes).toBe(50);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('[keep.idempotent-records] where the total is full, a command with an idempotency key loses its output, not its record', () => {
  const directory = mkdtempSync(join(tmpdir(), 'make-room-'));
  try {
    const keyed = command(directory, 'keyed', 'completed', { key: 'k', bodyHash: 'h' });
    const other = command(directory, 'other', 'completed');
    expect(makeRoom([keyed, other], 100, IDEMPOTENCY_MS - 1)).toEqual([]);
    expect([keyed.output.retainedBytes, other.output.retainedBytes]).toEqual([0, 100]);
    const again = command(directory, 'again', 'completed', { key: 'l', bodyHash: 'h' });
    expect(makeRoom([again], 0, IDEMPOTENCY_MS)).toEqual([again]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
