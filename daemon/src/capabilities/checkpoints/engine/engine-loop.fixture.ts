import { appendFileSync } from 'node:fs';
import { changeTree, OWN, openEngine, Random, wholly } from './tree.fixture.ts';

/** Takes checkpoints and restores them until it is killed; a line of the file for each one that was acknowledged. */
const [, , store = '', tree = '', acknowledged = '', seed = '0'] = process.argv;
const random = new Random(Number(seed));
const engine = openEngine(store);
const root = Buffer.from(tree);
for (;;) {
  changeTree(tree, random, 5);
  const { id } = await engine.create({ ...OWN, root });
  appendFileSync(acknowledged, `${id}\n`);
  const older = random.of(engine.records);
  if (older && random.below(3) === 0) await engine.restore(wholly(older.id));
}
