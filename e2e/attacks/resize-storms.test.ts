import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { growthDuring } from '../../scripts/testing/process-memory.ts';
import { Services } from '../services.ts';

const isWhole = process.env['TEST_EXTENT'] === 'whole';
const SOCKETS = 10;
/** Resizes of each socket, and calls of /health that are answered before the last one. */
const [RESIZES, CHECKS] = isWhole ? [60_000, 10] : [6_000, 1];
/** Bytes: screens of 1,000 by 900 cells are drawn by the same process. */
const MEMORY_BYTES = 768 * 1024 ** 2;
/** The last resize of each socket. */
const LAST = { cols: 11, rows: 11 };

test.runIf(process.platform === 'linux')(
  `[pty.resize-storm] ${SOCKETS} sockets with ${RESIZES} resizes each do not hold up /health`,
  async () => {
    await using services = await Services.start();
    const ids = Array.from({ length: SOCKETS }, (_, n) => `storm-${n}`);
    for (const id of ids) {
      const body = JSON.stringify({ id, command: 'bash', args: ['--norc', '--noprofile'] });
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`${services.url}/v2/pty/sessions`, { method: 'POST', headers, body })).status).toBe(200);
    }
    const pongs = new Int32Array(new SharedArrayBuffer(8));
    const paths = ids.map((id) => `/v2/pty/sessions/${id}/ws`);
    const data = { port: services.gatewayPort, paths, resizes: RESIZES, pongs };
    const growth = await growthDuring(Number(services.daemon.pid), async () => {
      const storm = new Worker(new URL('./resize-storm.fixture.ts', import.meta.url), { workerData: data });
      try {
        await expect.poll(() => Atomics.load(pongs, 0), { interval: 1 }).toBe(SOCKETS);
        for (let n = 0; n < CHECKS; n += 1) expect((await fetch(`${services.url}/health`)).status).toBe(200);
        // The checks were answered between the resizes, not after them.
        expect(Atomics.load(pongs, 1)).toBeLessThan(SOCKETS);
        await expect.poll(() => Atomics.load(pongs, 1), { timeout: 240_000 }).toBe(SOCKETS);
      } finally {
        await storm.terminate();
      }
    });
    for (const id of ids) {
      const answer = await fetch(`${services.url}/v2/pty/sessions/${id}`);
      expect((await answer.json()) as object).toMatchObject({ data: LAST });
    }
    expect(growth).toBeLessThan(MEMORY_BYTES);
    expect([services.daemon.exitCode, services.daemon.signalCode]).toEqual([null, null]);
  },
  300_000,
);
