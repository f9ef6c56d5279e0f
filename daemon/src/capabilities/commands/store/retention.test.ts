import { expect, test } from 'vitest';
import { AgeClock } from '../../../core/clock/age-clock.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { Command, type CommandRecord, newRecord } from '../run/command.ts';
import { hashOf, IDEMPOTENCY_MS, IdempotencyKeys } from './idempotency.ts';
import { expired, inOrderOfEnd } from './retention.ts';

const HOUR = 3_600_000;
const LIMITS = { maxRecords: 1000, maxAgeMs: HOUR, maxBytes: 0 };

function command(id: string, endedAt: number | null, idempotency: CommandRecord['idempotency'] = null): Command {
  const status = endedAt === null ? 'running' : 'completed';
  const record = newRecord({ id, command: '', startedTick: endedAt ?? 0, endedTick: endedAt, status, idempotency });
  return new Command(record, new OutputLog('/nowhere', id), {});
}

test('[keep.records] ended commands go after an hour, or beyond the newest thousand', () => {
  const young = Array.from({ length: 1002 }, (_, i) => command(`c${i}`, HOUR));
  const all = [command('old', 0), command('running', null), ...young];
  expect(expired(all, LIMITS, HOUR).map(({ id }) => id)).toEqual(['old', 'c0', 'c1']);
  expect(expired(all, LIMITS, HOUR - 1).map(({ id }) => id)).toEqual(['old', 'c0', 'c1']);
  expect(expired([command('old', 0)], LIMITS, HOUR - 1)).toEqual([]);
});

test('[keep.records] a command that ran for long is among the newest at its end, and loses its output last', () => {
  const long = command('long', 2000);
  const short = Array.from({ length: 1001 }, (_, i) => command(`c${i}`, 1000));
  expect(expired([long, ...short], LIMITS, 2000).map(({ id }) => id)).toEqual(['c0', 'c1']);
  expect(inOrderOfEnd([long, command('running', null), ...short]).at(-1)).toBe(long);
});

test('[keep.idempotent-records] a command with an idempotency key is kept for its ten minutes', () => {
  const keyed = command('keyed', 0, { key: 'k', bodyHash: 'h' });
  const limits = { ...LIMITS, maxRecords: 0, maxAgeMs: 1 };
  expect(expired([keyed], limits, IDEMPOTENCY_MS - 1)).toEqual([]);
  expect(expired([keyed], limits, IDEMPOTENCY_MS)).toEqual([keyed]);
});

test('[cmd.idempotent-expiry] a key is known for ten minutes', () => {
  const keys = new IdempotencyKeys(AgeClock.ofProcess());
  keys.remember('k', 'hash', { id: 'id', command: 'true', startedTick: 0 });
  expect(keys.find('k', 'hash', IDEMPOTENCY_MS - 1)).toBe('id');
  expect(() => keys.find('k', 'other', IDEMPOTENCY_MS - 1)).toThrow(/another request/);
  expect(keys.find('k', 'hash', IDEMPOTENCY_MS)).toBeUndefined();
});

test('keys that take all the memory they may leave room when they expire', () => {
  const keys = new IdempotencyKeys(AgeClock.ofProcess(), 2 * 4096 + 8);
  const remember = (key: string, ms: number) =>
    keys.remember(key, 'hash', { id: key, command: 'true', startedTick: ms });
  remember('a', 0);
  remember('a', 0);
  keys.requireRoom(0);
  remember('b', 1);
  expect(() => keys.requireRoom(IDEMPOTENCY_MS - 1)).toThrow(/2 commands with an idempotency_key/);
  keys.requireRoom(IDEMPOTENCY_MS);
  expect(keys.find('b', 'hash', IDEMPOTENCY_MS)).toBe('b');
});

test('requests with the same fields have one hash', () => {
  expect(hashOf({ a: 1, b: { c: 2, d: 3 }, e: undefined })).toBe(hashOf({ b: { d: 3, c: 2 }, a: 1 }));
  expect(hashOf({ a: [1, 2] })).not.toBe(hashOf({ a: [2, 1] }));
});
