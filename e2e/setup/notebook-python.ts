import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A Python with what analysts use; the tests ask no index. */
export const NOTEBOOK_PYTHON = join(import.meta.dirname, '../../dist/notebook-python');

const PACKAGES = ['ipykernel', 'matplotlib', 'pandas', 'seaborn', 'pillow', 'plotly', 'ipywidgets', 'tqdm', 'nbformat'];

/** Makes it if it is missing: half a minute. */
export function setup(): void {
  if (existsSync(NOTEBOOK_PYTHON)) return;
  const made = `${NOTEBOOK_PYTHON}.new`;
  rmSync(made, { recursive: true, force: true });
  run('/usr/bin/python3', '-m', 'venv', made);
  run(join(made, 'bin/python3'), '-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...PACKAGES);
  renameSync(made, NOTEBOOK_PYTHON);
}

function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`);
}
