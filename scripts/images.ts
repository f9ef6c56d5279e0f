import process from 'node:process';
import { buildImages } from './images/build-images.ts';
import { ensureEngine } from './images/engine.ts';

const say = (line: string): void => void process.stdout.write(`images: ${line}\n`);

try {
  if (process.argv[2] === 'engine') await ensureEngine(say);
  else await buildImages(say);
} catch (error) {
  process.stderr.write(`images: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
