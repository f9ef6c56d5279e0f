import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { ROOT } from './root.ts';
import { trackedFiles } from './structure/tracked-files.ts';

const SHELL = /^#(?:!.*\b(?:ba|da)?sh\b| shellcheck shell=)/;

/** Sourced files have other paths in the image; each file is checked separately. */
const EXCLUDED = 'SC1091,SC2034';

const scripts: string[] = [];
for (const file of await trackedFiles()) {
  if (SHELL.test((await readFile(join(ROOT, file), 'utf8')).split('\n')[0] ?? '')) scripts.push(file);
}
const { status } = spawnSync('shellcheck', ['--exclude', EXCLUDED, ...scripts], { cwd: ROOT, stdio: 'inherit' });
process.stdout.write(`shell scripts: ${scripts.length} checked\n`);
process.exitCode = status ?? 1;
