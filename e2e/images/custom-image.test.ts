import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docker } from '../../scripts/images/docker.ts';
import { ROOT } from '../../scripts/root.ts';
import { pollByProcess } from './observe.ts';
import { NO_BROWSER, NO_KERNELS, startSandbox } from './sandbox.ts';
import { pidOf } from './supervisor.ts';

const IMAGE = 'sandbox-custom:e2e';
const FIXTURE = join(ROOT, 'e2e/clients/mcp/fixture-server.mjs');

/** The recipe as it stands in the document. */
async function recipe(): Promise<string> {
  const document = await readFile(join(ROOT, 'docs/mcp.md'), 'utf8');
  const [, text] = /```dockerfile\n(FROM sandbox-daemon:local\n[^`]*)```/.exec(document) ?? [];
  if (text === undefined) throw new Error('docs/mcp.md has no recipe');
  return text;
}

beforeAll(async () => {
  const context = await mkdtemp(join(tmpdir(), 'custom-image-'));
  await writeFile(join(context, 'Dockerfile'), await recipe());
  await copyFile(FIXTURE, join(context, 'calculator.mjs'));
  await docker('buildx', 'build', '--load', '--tag', IMAGE, context);
  await rm(context, { recursive: true });
});

afterAll(async () => {
  await docker('image', 'rm', '--force', IMAGE);
});

test('[mcp.custom-image] [config.extra-mcp-servers] an image with a second MCP server, by the recipe of the document, publishes its tools', async () => {
  await using sandbox = await startSandbox({
    image: IMAGE,
    key: 'the-key',
    env: { SVC_API_KEY: 'the-key', ...NO_BROWSER, ...NO_KERNELS },
  });
  await expect.poll(() => sandbox.toolNames()).toContain('calc_add');
  const added = await sandbox.mcp('tools/call', { name: 'calc_add', arguments: { a: 40, b: 2 } });
  expect(added).toMatchObject({ content: [{ type: 'text', text: '42' }] });
  const pid = await pidOf(sandbox, 'calculator');
  expect(pid).toBeDefined();
  expect(await sandbox.shell(`ps -o user= -p ${pid}`)).toBe('sandbox');
  const { stdout: environment } = await sandbox.run(`tr '\\0' '\\n' < /proc/${pid}/environ`);
  expect(environment).toContain('HOME=/home/sandbox\n');
  expect(environment).not.toMatch(/SVC_|the-key/);
  // The supervisor starts it again, and the hub finds it again.
  await sandbox.shell(`kill -9 ${pid}`);
  await pollByProcess(() => pidOf(sandbox, 'calculator')).not.toBe(pid);
  const sum = () => sandbox.mcp('tools/call', { name: 'calc_add', arguments: { a: 1, b: 1 } });
  await expect.poll(sum).toMatchObject({ content: [{ text: '2' }] });
});
