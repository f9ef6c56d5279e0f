import { expect, test } from 'vitest';
import { cutsUnderUse } from '../client-cuts.ts';

/** The uses make 24 calls at once at most. */
const MOST_CONNECTIONS = 40;

// Ten minutes of it are in e2e/clients/typescript/.
test('[client.cuts] under cuts and a kill of the daemon no byte is lost or repeated and nothing runs twice', async () => {
  const report = await cutsUnderUse({ seconds: 10, firstKill: 5 });
  expect(report.faults).toEqual([]);
  expect(report.left).toEqual([]);
  expect(report.connections).toBeLessThan(MOST_CONNECTIONS);
  expect(Object.keys(report.done)).toHaveLength(16);
  expect([report.cuts > 10, report.kills > 0]).toEqual([true, true]);
});
