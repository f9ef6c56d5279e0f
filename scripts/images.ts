import process from 'node:process';
import { buildImages, CORE_IMAGE, DATA_IMAGE, IMAGES } from './images/build-images.ts';
import { atLowPriority, ensureEngine } from './images/engine.ts';

const say = (line: string): void => void process.stdout.write(`images: ${line}\n`);

try {
  await ensureEngine(say);
  if (process.argv[2] === 'data') await buildImages(say, [...IMAGES, DATA_IMAGE]);
  else if (process.argv[2] === 'core') await buildImages(say, [CORE_IMAGE]);
  else if (process.argv[2] === 'background') await atLowPriority(() => buildImages(say));
  else if (process.argv[2] !== 'engine') await buildImages(say);
} catch (error) {
  process.stderr.write(`images: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
