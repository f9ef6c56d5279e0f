import { stopWithParent } from '@sandbox/program/parent.ts';
import { runProgram } from '@sandbox/program/run.ts';
import { sandboxd } from './cli.ts';

stopWithParent(process.env);
await runProgram('sandboxd', () => sandboxd(process.argv.slice(2)));
