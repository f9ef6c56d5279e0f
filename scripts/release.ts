import process from 'node:process';
import { parseArgs } from 'node:util';
import { makeRelease, RELEASED } from './release/make-release.ts';
import { pushImages } from './release/push-images.ts';

const { values } = parseArgs({
  options: {
    push: { type: 'string' },
    'without-images': { type: 'boolean' },
    emulated: { type: 'string', default: RELEASED.map(({ variant }) => variant).join(',') },
  },
});
const say = (line: string): void => void process.stderr.write(`release: ${line}\n`);

try {
  const images = values['without-images'] !== true;
  const release = await makeRelease({ images, emulated: values.emulated.split(','), say });
  say(`${release.directory} is complete`);
  const { version } = release;
  if (values.push !== undefined) await pushImages(release.images, { registry: values.push, version, say });
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
