import { baseOfImages, buildImages } from '../../scripts/images/build-images.ts';
import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { bounded } from '../harness/rows.ts';
import { ImageBuilds } from '../testbed/image-builds.ts';
import { DOCKER } from './image.ts';

const times: Measurement = {
  rows: [
    bounded('both images built anew', 's', 300),
    bounded('built after a change of a hook', 's', 5),
    bounded('built after a change of the daemon', 's', 5),
  ],
  peer: 'an image of one line',
  rounds: 1,
  measureOurs: async () => {
    await using ours = await ImageBuilds.open(await baseOfImages());
    const cold = await ours.cold();
    return [cold, await ours.after('hooks/run-hooks', '#'), await ours.after('daemon/src/main.ts', '//')];
  },
  measurePeer: async () => {
    await using theirs = await ImageBuilds.open(await baseOfImages());
    const seconds = await theirs.oneLine();
    return [seconds, seconds, seconds];
  },
};

export const builds: Benchmark = {
  name: 'builds',
  needs: [DOCKER],
  about:
    'both images, in one round. "Anew" rebuilds every layer, with the download caches of apt and npm; the changes ' +
    'are one more line in the runner of hooks, and one in the start of the daemon, which rebuilds its bundles. The ' +
    'peer is an image with one layer more than the base.',
  reasons: {
    'built after a change of the daemon':
      'a change of the code repeats what depends on it: the bundles, the compile caches and the layer of the product.',
  },
  async prepare() {
    await buildImages(() => {});
    return [times];
  },
};
