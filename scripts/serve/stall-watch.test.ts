import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { BEAT } from '@sandbox/program/heartbeat/beats.ts';
import { afterEach, expect, test } from 'vitest';
import { has } from '../testing/machine.ts';
import { StallWatch } from './stall-watch.ts';

const STALL_SECONDS = 1;
/** The service has a tenth of the processor beside them. */
const HOGS = 9;

const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A program that never stops to compute, on the first processor. */
function spin(): ChildProcess {
  const child = spawn('taskset', ['-c', '0', 'sh', '-c', 'while :; do :; done']);
  started.push(child);
  return child;
}

function waitedSeconds(pid: number | undefined): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e9;
}

test.runIf(has('linux'))(
  '[stall.starved] a service that waits for a processor is not stalled; one that spins is',
  async () => {
    const hogs = Array.from({ length: HOGS }, () => spin());
    const { pid } = spin();
    const beats = new PassThrough();
    const stalled = Promise.withResolvers<void>();
    let isStalled = false;
    using _watch = new StallWatch(beats, pid, STALL_SECONDS, () => {
      isStalled = true;
      stalled.resolve();
    });
    beats.write(Uint8Array.of(BEAT));
    await expect.poll(() => waitedSeconds(pid)).toBeGreaterThan(3 * STALL_SECONDS);
    expect(isStalled).toBe(false);
    for (const hog of hogs) hog.kill('SIGKILL');
    await stalled.promise;
  },
);
