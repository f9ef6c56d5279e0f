import process from 'node:process';
import { parseArgs } from 'node:util';
import { makeRelease } from './release/make-release.ts';
import { pushImages } from './release/push-images.ts';

const { values } = parseArgs({ options: { push: { type: 'string' }, 'without-images': { type: 'boolean' } } });
const say = (line: string): void => void process.stderr.write(`release: ${line}\n`);

try {
  const images = values['without-images'] !== true;
  const { directory, version } = await makeRelease({ images, say });
  say(`${directory} is complete`);
  if (values.push !== undefined && images) await pushImages(values.push, version, say);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
