import { execFileSync } from 'node:child_process';
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { changeTree, OWN, openEngine, Random, wholly } from './tree.fixture.ts';

/** Takes, imports and restores checkpoints until it is killed; a line of the file for each that was acknowledged. */
const [, , store = '', tree = '', acknowledged = '', seed = '0'] = process.argv;
const random = new Random(Number(seed));
const engine = openEngine(store);
const root = Buffer.from(tree);
const archive = `${acknowledged}.tar`;

async function importTree(): Promise<string> {
  execFileSync('tar', ['--format=posix', '-cf', archive, '-C', tree, '.']);
  const file = openSync(archive, 'r');
  try {
    return (await engine.importArchive({ ...OWN, root, file, owner: { uid: 0, gid: 0 }, takesPrivileges: true })).id;
  } finally {
    closeSync(file);
  }
}

for (;;) {
  changeTree(tree, random, 5);
  const id = random.below(3) === 0 ? await importTree() : (await engine.create({ ...OWN, root })).id;
  appendFileSync(acknowledged, `${id}\n`);
  const older = random.of(engine.records);
  if (older && random.below(3) === 0) await engine.restore(wholly(older.id));
}
