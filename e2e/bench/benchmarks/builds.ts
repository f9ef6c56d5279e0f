import { baseOfImages, buildImages } from '../../../scripts/images/build-images.ts';
import type { Benchmark, Measurement } from '../harness/benchmark.ts';
import { besideFloor, bounded } from '../harness/rows.ts';
import { buildStage, ImageBuilds } from '../testbed/image-builds.ts';
import { DOCKER } from './image.ts';

const PEER = 'an image of one line';
const AFTER_DAEMON = 'built after a change of the daemon';
const DAEMON = 'daemon/src/main.ts';

export const builds: Benchmark = {
  name: 'builds',
  needs: [DOCKER],
  about:
    'both images. "Anew" rebuilds every layer, with the download caches of apt and npm; the changes are one more line ' +
    'in the runner of hooks, and one in the start of the daemon, which rebuilds its bundles. The peer is an image with ' +
    'one layer more than the base. Floor: one that copies the sources and builds the bundles, in one layer above the ' +
    'stage that has the packages.',
  reasons: {
    [AFTER_DAEMON]:
      'a change of the code repeats what depends on it: the bundles, the compile caches and the layer of the product.',
  },
  async prepare(stack) {
    await buildImages(() => {});
    const base = await baseOfImages();
    const packages = stack.use(await buildStage('packages', base));
    const images = stack.use(await ImageBuilds.open(base));
    const oneLine = async (): Promise<number[]> => [await images.oneLine()];
    const once: Measurement = {
      rows: [bounded('both images built anew', 's', 300)],
      peer: PEER,
      rounds: 1,
      measureOurs: async () => [await images.cold()],
      measurePeer: oneLine,
    };
    const afterHook: Measurement = {
      rows: [bounded('built after a change of a hook', 's', 5)],
      peer: PEER,
      measureOurs: async () => [await images.after('hooks/run-hooks', '#')],
      measurePeer: oneLine,
    };
    const afterDaemon: Measurement = {
      rows: [bounded(AFTER_DAEMON, 's', 5)],
      peer: PEER,
      measureOurs: async () => [await images.after(DAEMON, '//')],
      measurePeer: oneLine,
    };
    const bundles = async (): Promise<number[]> => [await images.bundlesAfter(packages.name, DAEMON)];
    return [once, afterHook, afterDaemon, besideFloor(afterDaemon, 'the bundles in one layer', bundles)];
  },
};
