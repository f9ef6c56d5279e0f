import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta', 'iota', 'kappa'] as const;
const A_DIRECTORY = 100;

/** A directory that is removed on disposal. */
export class Tree implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'bench-tree-'));

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Small files of text, 100 in a directory; every thousandth has a line `needle`. */
export function treeOfFiles(files: number): Tree {
  const tree = new Tree();
  for (let index = 0; index < files; index += 1) {
    const directory = join(tree.root, `d${Math.floor(index / A_DIRECTORY)}`);
    if (index % A_DIRECTORY === 0) mkdirSync(directory);
    const line = (at: number): string => `${WORDS[(index + at) % 10]} ${WORDS[(index * 3 + at) % 10]} ${index + at}\n`;
    const text = Array.from({ length: 10 }, (_, at) => line(at)).join('');
    writeFileSync(join(directory, `f${index}.txt`), index % 1000 === 7 ? `${text}needle\n` : text);
  }
  return tree;
}

/** Directories only, 50 in each of the lowest level. */
export function treeOfDirectories(directories: number): Tree {
  const tree = new Tree();
  for (let index = 0; index < directories; index += 1) {
    mkdirSync(
      join(tree.root, `top-${Math.floor(index / 2500)}`, `middle-${Math.floor(index / 50)}`, `directory-${index}`),
      {
        recursive: true,
      },
    );
  }
  return tree;
}
