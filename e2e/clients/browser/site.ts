import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startServer } from '../../images/observe.ts';
import type { Sandbox } from '../../images/sandbox.ts';

const PORT = 3300;
/** As the browser of the sandbox reaches it. */
export const SITE = `http://127.0.0.1:${PORT}`;

/** Starts the site in the sandbox. */
export async function openSite(sandbox: Sandbox): Promise<void> {
  const content = await readFile(join(import.meta.dirname, 'site.mjs'));
  const target = '/tmp/site.mjs';
  await sandbox.container.copyContentToContainer([{ content, target, mode: 0o644 }]);
  await startServer(sandbox, `exec node ${target} ${PORT}`, 'the site is open');
}
