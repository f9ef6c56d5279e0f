import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import type { CheckpointRecord } from '../engine/engine-protocol.ts';
import { OWN, openEngine, TREE_PROGRAM } from '../engine/tree.fixture.ts';
import { givingWay, THINNED_AT_ONCE, thinnedOut } from './giving-way.ts';

const HOUR_MS = 3_600_000;
const MIB = 1024 ** 2;

function record(id: string, origin: CheckpointRecord['origin'], tick: number, root = '/home'): CheckpointRecord {
  const facts = { label: null, createdAt: '', uid: 0, exclude: [], tree: '', files: 0, bytes: 0, storedBytes: 0 };
  return { ...facts, id, root, origin, tick, tookMs: 0, leftOut: [], leftOutCount: 0 };
}

test('[checkpoint.auto] all of an hour are kept, then one of each 10 minutes, one of each 6 hours, none after a week', () => {
  const now = 1002 * HOUR_MS;
  const ages = Array.from({ length: 24 * 12 * 9 }, (_, index) => (index * HOUR_MS) / 12 + 60_000).reverse();
  const records = ages.map((age) => record(`${age}`, 'auto', now - age));
  const others = [record('manual', 'manual', 0), record('restore', 'restore', 0), record('other', 'auto', 0, '/other')];
  const gone = new Set(thinnedOut([...others, ...records], '/home', now));
  const left = records.filter((one) => !gone.has(one)).map(({ tick = 0 }) => now - tick);
  expect(left.filter((age) => age < HOUR_MS)).toHaveLength(12);
  expect(left.filter((age) => age >= HOUR_MS && age < 24 * HOUR_MS)).toHaveLength(23 * 6);
  expect(left.filter((age) => age >= 24 * HOUR_MS)).toHaveLength(6 * 4);
  expect(others.filter((one) => gone.has(one))).toEqual([]);
});

test('[checkpoint.auto] a quarter of the automatic ones gives way, the oldest first, and no other one', () => {
  const records = [record('m', 'manual', 0), ...[1, 2, 3, 4, 5].map((tick) => record(`a${tick}`, 'auto', tick))];
  expect(givingWay(records).map(({ id }) => id)).toEqual(['a1', 'a2']);
  expect(givingWay(records.slice(0, 1))).toEqual([]);
});

describe.runIf(TREE_PROGRAM.isThere)('checkpoints that are automatic', () => {
  test('[checkpoint.auto] one of an unchanged directory is not kept', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'tree');
    mkdirSync(root);
    writeFileSync(join(root, 'file'), 'one');
    using engine = openEngine(join(directory.path, 'store'));
    const task = { ...OWN, root: Buffer.from(root), tick: 1 };
    expect(await engine.createAuto(task)).toMatchObject({ isNew: true });
    const bytes = engine.bytes;
    for (let count = 0; count < 2; count += 1) expect(await engine.createAuto(task)).toMatchObject({ isNew: false });
    writeFileSync(join(root, 'file'), 'another');
    expect(await engine.createAuto(task)).toMatchObject({ isNew: true });
    expect([engine.records.length, engine.bytes > bytes]).toEqual([2, true]);
  });

  test('[checkpoint.auto] superfluous ones go many at a time', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'tree');
    mkdirSync(root);
    using engine = openEngine(join(directory.path, 'store'));
    for (let tick = 1; tick <= THINNED_AT_ONCE; tick += 1) {
      writeFileSync(join(root, `${tick}`), '');
      // After the first one has become too old.
      await engine.createAuto({ ...OWN, root: Buffer.from(root), tick: tick === 1 ? 0 : 200 * HOUR_MS + tick });
    }
    expect(engine.records).toHaveLength(THINNED_AT_ONCE);
    writeFileSync(join(root, 'last'), '');
    await engine.createAuto({ ...OWN, root: Buffer.from(root), tick: 400 * HOUR_MS });
    expect(engine.records).toHaveLength(1);
  });

  test('[checkpoint.auto] in a full store the oldest automatic ones give way to any, manual ones to none', async () => {
    await using directory = await tempDir();
    const root = join(directory.path, 'tree');
    mkdirSync(root);
    using engine = openEngine(join(directory.path, 'store'), 10 * MIB);
    const task = { ...OWN, root: Buffer.from(root) };
    const change = (): void => writeFileSync(join(root, 'file'), randomBytes(2 * MIB));
    change();
    const manual = await engine.create(task);
    for (let tick = 1; tick <= 6; tick += 1) {
      change();
      expect(await engine.createAuto({ ...task, tick })).toMatchObject({ isNew: true });
    }
    expect(engine.bytes).toBeLessThanOrEqual(10 * MIB);
    expect(engine.records.some(({ id }) => id === manual.id)).toBe(true);
    expect(engine.records.find(({ origin }) => origin === 'auto')?.tick).toBeGreaterThan(1);
    expect(engine.records.at(-1)?.tick).toBe(6);
    for (let count = 0; count < 3; count += 1) {
      change();
      await engine.create(task);
    }
    const manuals = engine.records.filter(({ origin }) => origin === 'manual').map(({ id }) => id);
    expect(manuals).toHaveLength(4);
    change();
    await expect(engine.create(task)).rejects.toMatchObject({ kind: 'capacity' });
    await expect(engine.createAuto({ ...task, tick: 9 })).rejects.toMatchObject({ kind: 'capacity' });
    expect(engine.records.map(({ id }) => id)).toEqual(manuals);
  });
});
