// Runs the launcher with what a test gives as JSON.
import process from 'node:process';
import { launch } from '../serve/launch.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
process.exit(await launch({ ...JSON.parse(process.argv[2] ?? '{}'), say }));
