import { takeHeartbeatFd } from '@sandbox/program/heartbeat/heartbeat.ts';
import { stopWithParent } from '@sandbox/program/parent.ts';
import { runProgram } from '@sandbox/program/run.ts';
import { sandboxd } from './cli.ts';

stopWithParent(process.env);
const heartbeatFd = takeHeartbeatFd(process.env);
await runProgram('sandboxd', () => sandboxd(process.argv.slice(2), heartbeatFd));
