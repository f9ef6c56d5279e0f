import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { ROOT } from '../scripts/root.ts';

const GUIDE = join(ROOT, 'docs/getting-started.md');
/** The key that the guide sets. */
export const GUIDE_KEY = 'change-me';

/** The commands of a section of docs/getting-started.md, in their order. */
export async function commandsOf(section: string): Promise<string> {
  const guide = await readFile(GUIDE, 'utf8');
  const [, text = ''] = guide.split(`## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  return [...own.matchAll(/```sh\n([^`]+)```/g)].map(([, block]) => block).join('');
}

/** Runs commands of the guide in a directory, for a service at another address; resolves with their output. */
export async function follow(commands: string, url: string, directory: string): Promise<string> {
  const script = commands.replaceAll('http://127.0.0.1:8080', url);
  // The directory that the guide names relative to its own.
  const path = `${process.env['PATH']}:${join(ROOT, 'scripts/serve/bin')}`;
  const options = { cwd: directory, env: { PATH: path, HOME: directory } };
  return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options)).stdout;
}
