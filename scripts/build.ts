import process from 'node:process';
import { build } from './build/build.ts';
import { ROOT } from './root.ts';

const started = performance.now();
const built = await build(ROOT);
process.stdout.write(built ? `build: done in ${Math.round(performance.now() - started)} ms\n` : 'build: up to date\n');
