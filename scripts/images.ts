import process from 'node:process';
import { OTHER, OWN } from './build/architecture.ts';
import { buildImages, CORE_IMAGE, DATA_IMAGE, IMAGES } from './images/build-images.ts';
import { atLowPriority, ensureEngine } from './images/engine.ts';

const say = (line: string): void => void process.stdout.write(`images: ${line}\n`);
const [what] = process.argv.slice(2).filter((word) => word !== OTHER);
/** The name of the other architecture is the last word. */
const architecture = process.argv.at(-1) === OTHER ? OTHER : OWN;

try {
  await ensureEngine(say);
  if (what === 'data') await buildImages(say, [...IMAGES, DATA_IMAGE], architecture);
  else if (what === 'core') await buildImages(say, [CORE_IMAGE], architecture);
  else if (what === 'background') await atLowPriority(() => buildImages(say));
  else if (what !== 'engine') await buildImages(say, IMAGES, architecture);
} catch (error) {
  process.stderr.write(`images: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
