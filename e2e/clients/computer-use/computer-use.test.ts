import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { DESKTOP_IMAGE } from '../../../scripts/images/build-images.ts';
import { ROOT } from '../../../scripts/root.ts';
import { Sandbox } from '../../images/sandbox.ts';
import { virtualEnvironment } from '../virtual-environment.ts';

const run = promisify(execFile);
const PACKAGES = ['openai-agents==0.24.0', 'httpx==0.28.1'];
const SOURCE = join(ROOT, 'integrations/computer-use/src');

test('recorded tool calls of Anthropic and OpenAI do the right thing on the desktop image', {
  timeout: 900_000,
}, async () => {
  const python = await virtualEnvironment('computer-use', [['install', '--quiet', ...PACKAGES]]);
  const key = 'the-key';
  const own = { SVC_API_KEY: key, BROWSER_START_MODE: 'auto' };
  await using service = await Sandbox.start({ image: DESKTOP_IMAGE, env: own });
  const env = { ...process.env, SANDBOX_URL: service.url, SANDBOX_API_KEY: key, PYTHONPATH: SOURCE };
  const { stdout } = await run(python, [join(import.meta.dirname, 'drive.py')], { env, timeout: 600_000 });
  expect(stdout).toBe('passed\n');
});
