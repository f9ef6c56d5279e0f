import process from 'node:process';
import { buildImages } from './images/build-images.ts';

try {
  await buildImages((line) => process.stdout.write(`images: ${line}\n`));
} catch (error) {
  process.stderr.write(`images: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
