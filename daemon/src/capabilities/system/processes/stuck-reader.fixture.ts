import { parentPort, workerData } from 'node:worker_threads';
import type { ProcessQuery } from './process-entry.ts';
import { readProcesses } from './read-processes.ts';

/** A reader that waits for ever at the arguments of pid 1, as for a file system that does not answer. */
const at = new Int32Array(workerData as SharedArrayBuffer);
const never = new Int32Array(new SharedArrayBuffer(4));

parentPort?.on('message', (query: ProcessQuery) => {
  const page = readProcesses(query, (pid) => {
    Atomics.store(at, 0, pid);
    if (pid === 1) Atomics.wait(never, 0, 0);
  });
  parentPort?.postMessage(page);
});
