import { execFile } from 'node:child_process';
import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../../../scripts/root.ts';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { Sandbox } from '../../images/sandbox.ts';
import { Services } from '../../services.ts';
import { virtualEnvironment } from '../virtual-environment.ts';

const run = promisify(execFile);
const PACKAGES = ['deepagents==0.7.0', 'langchain-tests==1.1.9', 'httpx==0.28.1', 'pytest==9.2.0'];
const SOURCE = join(ROOT, 'integrations/deepagents/src');
const KEYS = [
  ['without a key', ''],
  ['with a key', 'the-key'],
] as const;

test.each(KEYS)('the standard tests of LangChain pass whole %s', { timeout: 900_000 }, async (_name, key) => {
  const python = await virtualEnvironment('deepagents', [['install', '--quiet', ...PACKAGES]]);
  const own = key === '' ? {} : { SVC_API_KEY: key };
  // Root may read and write every file, which the tests try to.
  const account = process.getuid?.() === 0 ? { SVC_DEFAULT_USER: 'nobody' } : {};
  const inImage = process.env['CLIENTS_IN'] === 'image';
  // They run programs by the name `python`, which a Debian without the images lacks.
  await using programs = await tempDir();
  await chmod(programs.path, 0o755);
  await symlink('/usr/bin/python3', join(programs.path, 'python'));
  const path = { PATH: `${programs.path}:${process.env['PATH']}` };
  await using service = inImage
    ? await Sandbox.start({ env: own })
    : await Services.start({ ...own, ...account, ...path });
  const env = { ...process.env, SANDBOX_URL: service.url, SANDBOX_API_KEY: key, PYTHONPATH: SOURCE };
  const tests = join(import.meta.dirname, 'standard_test.py');
  const args = ['-m', 'pytest', '-q', '-o', 'asyncio_mode=auto', '-p', 'no:cacheprovider', tests];
  const { stdout } = await run(python, args, { env, timeout: 600_000 }).catch(
    (failed: { readonly stdout: string }) => failed,
  );
  expect(stdout).toMatch(/\n\d+ passed[^\n]*\n$/);
  expect(stdout).not.toMatch(/failed|skipped|xfailed|error/i);
});
