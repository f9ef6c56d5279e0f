import { runProgram } from '@sandbox/program/run.ts';
import { sandboxd } from './cli.ts';

await runProgram('sandboxd', () => sandboxd(process.argv.slice(2)));
