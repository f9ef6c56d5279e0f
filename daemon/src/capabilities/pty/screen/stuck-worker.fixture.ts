import './screen-worker.ts';
import { parentPort, workerData } from 'node:worker_threads';
import type { ScreenRequest } from './screen-protocol.ts';
import { WorkMark } from './work-mark.ts';

/** A thread of screens whose engine does not end with output that says `spin`. */
const mark = new WorkMark(workerData as SharedArrayBuffer);
parentPort?.on('message', (request: ScreenRequest) => {
  if (request.type !== 'write' || !Buffer.from(request.bytes).includes('spin')) return;
  mark.begin(request.session);
  for (;;);
});
