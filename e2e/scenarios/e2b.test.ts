import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.ts';
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

test.runIf(has('registries'))('the Python of the README works, by httpx and by E2B', { timeout: 600_000 }, async () => {
  const python = await pythonWithE2b();
  await using service = await endpoint('the-key');
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const url = new URL(service.env['E2B_API_URL'] ?? '').origin;
  const blocks = [...readme.matchAll(/```python\n([^`]+)```/g)].map(([, text = '']) => text);
  const printed = blocks.map((text) =>
    drive(python, ['-c', text.replaceAll('http://127.0.0.1:8080', url)], {
      ...service.env,
      SANDBOX_API_KEY: 'the-key',
    }),
  );
  expect(await Promise.all(printed)).toEqual(['hello\nLinux\n\n', 'hello\nLinux\n\n42\n']);
});
