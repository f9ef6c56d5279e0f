import { join } from 'node:path';
import { expect, test } from 'vitest';
import { has } from '../../scripts/testing/machine.ts';
import { endpoint } from '../clients/e2b/endpoint.ts';
import { drive, pythonWithE2b } from '../clients/e2b/published-clients.ts';

const DRIVER = join(import.meta.dirname, '../clients/e2b/drive_sync.py');

// `npm run test:clients` runs the asynchronous and the JavaScript ones too, with and without a key.
test.runIf(has('registries'))(
  "[e2b.clients] E2B's synchronous Python SDKs work unchanged with a key",
  { timeout: 600_000 },
  async () => {
    const python = await pythonWithE2b();
    await using service = await endpoint('the-key');
    expect(await drive(python, [DRIVER], service.env)).toBe('passed\n');
  },
);
