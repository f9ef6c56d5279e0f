import { statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { OWN, openEngine, Random, TREE_PROGRAM } from './tree.fixture.ts';

const COUNT = Number(process.env['CHECKPOINT_MANY'] ?? 100);
const FILES = 400;
const CHANGED = 10;
/** Milliseconds of processor time of the engine, which other programs do not add to. */
const CPU_MS = 60;
/** Milliseconds from call to answer, of the fastest of ten. */
const WALL_MS = 100;

/** A tree of which some files change between two checkpoints. */
class BusyTree {
  readonly root: string;
  /** Bytes of all contents that files have had. */
  bytes = 0;
  readonly #random: Random;

  constructor(root: string, random: Random) {
    this.root = root;
    this.#random = random;
  }

  async write(index: number): Promise<void> {
    const content = Buffer.alloc(500 + this.#random.below(15_000));
    for (let at = 0; at + 4 <= content.length; at += 4) content.writeUInt32LE(this.#random.below(2 ** 32), at);
    this.bytes += content.length;
    const directory = join(this.root, `${index % 20}`);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, `file-${index}`), content);
  }

  async change(): Promise<void> {
    for (let count = 0; count < CHANGED; count += 1) await this.write(this.#random.below(FILES));
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

describe.runIf(TREE_PROGRAM.isThere)('many checkpoints', () => {
  test(
    `[checkpoint.many] ${COUNT} of a busy tree take at most 1.2 times their distinct content, and the last is as fast as the first`,
    async () => {
      await using directory = await tempDir();
      const store = join(directory.path, 'store');
      const tree = new BusyTree(join(directory.path, 'tree'), new Random(11));
      for (let index = 0; index < FILES; index += 1) await tree.write(index);
      using engine = openEngine(store, 1e12);
      const root = Buffer.from(tree.root);
      await engine.create({ ...OWN, root });
      let [fastest, cpu] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let count = 1; count < COUNT; count += 1) {
        await tree.change();
        const [began, cpuBefore] = [performance.now(), cpuMs()];
        await engine.create({ ...OWN, root });
        if (count < COUNT - 10) continue;
        fastest = Math.min(fastest, performance.now() - began);
        cpu = Math.min(cpu, cpuMs() - cpuBefore);
      }
      const size = engine.bytes + statSync(join(store, 'checkpoints')).size;
      const memory = process.memoryUsage().arrayBuffers / 1024 ** 2;
      // The figures of `npm run test:checkpoints`.
      if (COUNT > 1000) console.log({ count: COUNT, fastest, cpu, size: size / tree.bytes, memory });
      expect(engine.records).toHaveLength(COUNT);
      expect(size / tree.bytes).toBeLessThanOrEqual(1.2);
      expect(cpu).toBeLessThanOrEqual(CPU_MS);
      // A process that is large takes longer to start the helper.
      expect(memory).toBeLessThanOrEqual(COUNT > 1000 ? 160 : 32);
      if (COUNT > 1000) expect(fastest).toBeLessThanOrEqual(WALL_MS);
      const [first, last] = [engine.records[0], engine.records.at(-1)];
      const began = cpuMs();
      engine.remove(engine.records[Math.floor(COUNT / 2)]?.id ?? '');
      expect(cpuMs() - began).toBeLessThanOrEqual(500 + 2 * COUNT);
      const { counts } = await engine.diff({ id: first?.id ?? '', to: last?.id, account: undefined, maxChanges: 1 });
      expect(counts.modified).toBeGreaterThan(0);
    },
    60_000 + COUNT * 2000,
  );
});
