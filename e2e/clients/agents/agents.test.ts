import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { endpoint } from '../e2b/endpoint.ts';
import { PYTHON } from '../e2b/published-clients.ts';
import { virtualEnvironment } from '../virtual-environment.ts';

const run = promisify(execFile);
const SECONDS = process.env['CLIENT_AGENTS_SECONDS'] ?? '120';
const KEY = 'the-key';
const PROTOCOLS = [
  ['cloudflare', ['openai-agents[cloudflare]==0.24.0']],
  ['swe-rex', ['swe-rex==1.4.0', 'aiohttp==3.14.5']],
  ['e2b', PYTHON],
] as const;

test.each(PROTOCOLS)(
  '32 agents at once over %s: nothing is mixed up, nothing is left behind',
  {
    timeout: 900_000,
  },
  async (protocol, packages) => {
    const python = await virtualEnvironment(protocol, [['install', '--quiet', ...packages]]);
    await using service = await endpoint(KEY, { SVC_PROTOCOL_SHARED: 'true', SVC_SHELL_MAX_SESSIONS: '64' });
    const env = {
      ...process.env,
      ...service.env,
      E2B_VALIDATE_API_KEY: 'false',
      OPENAI_AGENTS_DISABLE_TRACING: '1',
      CLOUDFLARE_SANDBOX_API_KEY: KEY,
      AGENTS_URL: service.url,
      AGENTS_KEY: KEY,
      AGENTS_SECONDS: SECONDS,
    };
    const drive = join(import.meta.dirname, 'drive.py');
    const { stdout } = await run(python, [drive, protocol], { env, timeout: 800_000 });
    process.stdout.write(stdout);
    expect(stdout).toMatch(/passed\n$/);
  },
);
