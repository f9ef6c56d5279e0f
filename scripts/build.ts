import process from 'node:process';
import { buildServices } from './build/services.ts';
import { ROOT } from './root.ts';

const say = (line: string): void => {
  process.stdout.write(`build: ${line}\n`);
};
const started = performance.now();
const built = await buildServices(ROOT, say);
say(built ? `done in ${Math.round(performance.now() - started)} ms` : 'up to date');
