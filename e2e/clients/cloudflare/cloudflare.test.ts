import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { Sandbox } from '../../images/sandbox.ts';
import { Services } from '../../services.ts';
import { virtualEnvironment } from '../virtual-environment.ts';

const run = promisify(execFile);
const PACKAGES = ['openai-agents[cloudflare]==0.24.0'];
const KEYS = [
  ['without a key', ''],
  ['with a key', 'the-key'],
] as const;

test.each(KEYS)('CloudflareSandboxClient works unchanged %s', { timeout: 600_000 }, async (_name, key) => {
  const python = await virtualEnvironment('cloudflare', [['install', '--quiet', ...PACKAGES]]);
  const env = key === '' ? {} : { SVC_API_KEY: key };
  const inImage = process.env['CLIENTS_IN'] === 'image';
  await using service = inImage ? await Sandbox.start({ env }) : await Services.start(env);
  const own = { CLOUDFLARE_WORKER_URL: `${service.url}/compat/cloudflare`, CLOUDFLARE_SANDBOX_API_KEY: key };
  const { stdout } = await run(python, [join(import.meta.dirname, 'drive.py')], {
    env: { ...process.env, OPENAI_AGENTS_DISABLE_TRACING: '1', ...own },
    timeout: 400_000,
  });
  expect(stdout).toBe('passed\n');
});
