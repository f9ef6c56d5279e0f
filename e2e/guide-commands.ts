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

/** A fenced block of shell commands, and what stands below it as its output. */
export interface Block {
  readonly commands: string;
  readonly printed: string;
}

/** The blocks of a recipe, in their order. */
export async function blocksOf(recipe: string): Promise<Block[]> {
  const text = await readFile(join(ROOT, `docs/recipes/${recipe}.md`), 'utf8');
  const blocks = text.matchAll(/```sh\n([^`]+)```(?:\n\n```\n([^`]+)```)?/g);
  return [...blocks].map(([, commands = '', printed = '']) => ({ commands, printed }));
}

/** The first fenced block of a language in a recipe that has the text. @throws Error if there is none */
export async function blockOf(recipe: string, language: string, having: string): Promise<string> {
  const text = await readFile(join(ROOT, `docs/recipes/${recipe}.md`), 'utf8');
  const blocks = text.matchAll(new RegExp(`\`\`\`${language}\\n([^\`]+)\`\`\``, 'g'));
  const found = [...blocks].find(([, block]) => block?.includes(having))?.[1];
  if (found === undefined) throw new Error(`${recipe} has no block of ${language} with ${having}`);
  return found;
}

/** Runs commands of the guide in a directory, for a service at another address; resolves with their output. */
export async function follow(commands: string, url: string, directory: string): Promise<string> {
  const script = commands.replaceAll('http://127.0.0.1:8080', url);
  // The directory that the guide names relative to its own.
  const path = `${process.env['PATH']}:${join(ROOT, 'scripts/serve/bin')}`;
  const options = { cwd: directory, env: { PATH: path, HOME: directory } };
  return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options)).stdout;
}
