// Runs the launcher with the JSON of a test.
import process from 'node:process';
import { launch } from '../serve/launch.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
process.exit(await launch({ ...JSON.parse(process.argv[2] ?? '{}'), say }));
