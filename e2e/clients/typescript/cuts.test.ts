import process from 'node:process';
import { expect, test } from 'vitest';
import { cutsUnderUse } from '../../client-cuts.ts';

const SECONDS = Number(process.env['CLIENT_CUTS_SECONDS'] ?? 600);

/** The uses make 24 calls at once at most. */
const MOST_CONNECTIONS = 40;

/** After a third of the time, uses that run hold pieces of files. */
const MOST_GROWTH = 16 * 1024 ** 2;

test('[client.cuts] ten minutes of cuts, and kills of the daemon every 20 s', {
  timeout: SECONDS * 2000 + 120_000,
}, async () => {
  const report = await cutsUnderUse({ seconds: SECONDS, firstKill: 20 });
  process.stdout.write(`${JSON.stringify(report)}\n`);
  expect(report.faults).toEqual([]);
  expect(report.left).toEqual([]);
  expect(report.connections).toBeLessThan(MOST_CONNECTIONS);
  expect(report.growth).toBeLessThan(MOST_GROWTH);
});
