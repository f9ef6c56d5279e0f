import { parentPort, workerData } from 'node:worker_threads';
import type { ProcessQuery } from './process-entry.ts';
import { readProcesses } from './read-processes.ts';

/** Has the pid whose arguments are being read, for the case that this waits for ever. */
const at = new Int32Array(workerData as SharedArrayBuffer);

parentPort?.on('message', (query: ProcessQuery) => {
  try {
    parentPort?.postMessage(readProcesses(query, (pid) => Atomics.store(at, 0, pid)));
  } catch (error) {
    parentPort?.postMessage(String(error));
  }
});
