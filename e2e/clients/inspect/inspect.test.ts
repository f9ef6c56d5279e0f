import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../../../scripts/root.ts';
import { Sandbox } from '../../images/sandbox.ts';
import { Services } from '../../services.ts';
import { virtualEnvironment } from '../virtual-environment.ts';

const run = promisify(execFile);
const PACKAGES = ['inspect-ai==0.3.285', 'httpx==0.28.1', 'pytest==9.2.0'];
const SOURCE = join(ROOT, 'integrations/inspect/src');
const KEYS = [
  ['without a key', ''],
  ['with a key', 'the-key'],
] as const;

test.each(KEYS)('the self_check of Inspect passes whole %s', { timeout: 900_000 }, async (_name, key) => {
  const python = await virtualEnvironment('inspect', [['install', '--quiet', ...PACKAGES]]);
  const own = key === '' ? {} : { SVC_API_KEY: key };
  // Root may read and write every file, which the check tries to.
  const account = process.getuid?.() === 0 ? { SVC_DEFAULT_USER: 'nobody' } : {};
  const inImage = process.env['CLIENTS_IN'] === 'image';
  await using service = inImage ? await Sandbox.start({ env: own }) : await Services.start({ ...own, ...account });
  const env = { ...process.env, SANDBOX_URL: service.url, SANDBOX_API_KEY: key, PYTHONPATH: SOURCE };
  const drive = join(import.meta.dirname, 'drive.py');
  const { stdout } = await run(python, [drive], { env, timeout: 600_000 });
  expect(stdout).toMatch(/passed\n$/);
});
