// A service for the launcher's tests: answers /health on the given port; further arguments control its behaviour.
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { startHeartbeat, takeHeartbeatFd } from '@sandbox/program/heartbeat/heartbeat.ts';
import { stopWithParent } from '@sandbox/program/parent.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    events: { type: 'string', default: '/dev/null' },
    'stall-seconds': { type: 'string', default: '0' },
    exit: { type: 'string' },
    unhealthy: { type: 'boolean', default: false },
    'ignore-term': { type: 'boolean', default: false },
  },
});
const report = (event: string): void => appendFileSync(values.events, `${event} ${process.pid}\n`);

stopWithParent(process.env);
startHeartbeat(takeHeartbeatFd(process.env), {
  name: 'fixture',
  stallSeconds: Number(values['stall-seconds']),
  logLevel: 'info',
});
process.on('SIGTERM', () => {
  report('term');
  if (!values['ignore-term']) process.exit(0);
});
if (values.exit !== undefined) {
  process.stderr.write('service: wrong option\n');
  process.exit(Number(values.exit));
}
function spinForever(): never {
  for (;;);
}
createServer((request, response) => {
  if (request.url === '/crash') process.exit(7);
  if (request.url === '/spin') spinForever();
  if (request.url?.startsWith('/read/')) readFileSync(request.url.slice('/read'.length));
  if (values.unhealthy) response.statusCode = 503;
  response.end();
}).listen(Number(values.port), '127.0.0.1', () => {
  report('up');
  process.stdout.write(`${JSON.stringify({ time: '2026-01-02T03:04:05.678Z', level: 'info', msg: 'listening' })}\n`);
});
