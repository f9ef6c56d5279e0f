import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  chmodSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { treeProgram } from '../../../core/process/keeper/keeper-program.ts';
import { Engine } from './engine.ts';
import type { RestoreTask } from './engine-protocol.ts';

/** Numbers that are the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer below `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  }

  of<T>(items: readonly T[]): T | undefined {
    return items[this.below(Math.max(1, items.length))];
  }
}

export const TREE_PROGRAM = treeProgram(undefined);

export function openEngine(directory: string, maxBytes = 1024 ** 3, credentials: readonly string[] = []): Engine {
  return new Engine({ directory, program: TREE_PROGRAM.path, maxBytes, credentials, runtimeDirectory: directory });
}

/** The terms of a call as the account of the test. */
export const OWN = { account: undefined, label: null, exclude: [] } as const;

export function wholly(id: string): RestoreTask {
  return { id, account: undefined, paths: [], deletesNew: true, isDryRun: false };
}

/** What a tree is, by a plain walk with the calls of Node: a text for each path. */
export function describeTree(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const firstNames = new Map<bigint, string>();
  const visit = (path: string): void => {
    const full = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
    const stats = lstatSync(full, { bigint: true });
    const first = firstNames.get(stats.ino) ?? path;
    if (!stats.isDirectory()) firstNames.set(stats.ino, first);
    found.set(path, `${factsOf(full, stats)} ${first}`);
    if (!stats.isDirectory()) return;
    for (const name of readdirSync(full, { encoding: 'buffer' })
      .map((bytes) => bytes.toString('latin1'))
      .sort())
      visit(path === '' ? name : `${path}/${name}`);
  };
  visit('');
  return found;
}

function factsOf(path: Buffer, stats: BigIntStats): string {
  const { mode, uid, gid, size, mtimeNs } = stats;
  const content = stats.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
  const target = stats.isSymbolicLink() ? readlinkSync(path, { encoding: 'buffer' }).toString('latin1') : '';
  return [mode.toString(8), uid, gid, stats.isFile() ? size : 0, mtimeNs, content, target].join(' ');
}

/** Makes changes of every kind in a tree: files, directories, links, names that are not UTF-8, modes and times. */
export function changeTree(root: string, random: Random, count: number): void {
  for (let step = 0; step < count; step += 1) {
    try {
      changeOnce(root, random);
    } catch (error) {
      // A name that exists, or a directory in the place of a file: the next change is another one.
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }
}

function changeOnce(root: string, random: Random): void {
  const directories = [''];
  const others: string[] = [];
  for (const [path, facts] of describeTree(root)) {
    if (path === '' || /[\x80-\xff]/.test(path)) continue;
    if (facts.startsWith('4')) directories.push(path);
    else others.push(path);
  }
  const directory = join(root, random.of(directories) ?? '');
  const other = join(root, random.of(others) ?? 'none');
  const fresh = join(directory, `n${random.below(50)}`);
  const actions: readonly (() => void)[] = [
    () => writeFileSync(fresh, content(random)),
    () => writeFileSync(fresh, content(random)),
    () => writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0x80 + random.below(100)])]), 'x'),
    () => mkdirSync(fresh),
    () => symlinkSync(`../n${random.below(50)}`, fresh),
    () => linkSync(other, fresh),
    () => renameSync(other, fresh),
    () => rmSync(other),
    () => rmSync(directory === root ? other : directory, { recursive: true }),
    () => chmodSync(other, 0o600 + random.below(0o200)),
    () => lutimesSync(other, random.below(2_000_000_000) - 1_000_000_000, random.below(2_000_000_000) / 3),
    () => utimesSync(directory, 1, random.below(1_000_000_000) / 7),
    () => writeFileSync(other, content(random), { flag: 'r+' }),
  ];
  random.of(actions)?.();
}

function content(random: Random): Buffer {
  const size = random.of([0, 1, 100, 5000, 70_000]) ?? 0;
  return Buffer.alloc(size, `${random.below(1000)} `);
}
