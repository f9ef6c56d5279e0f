import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** The newest Python of pyenv on this machine. @throws Error without one */
export function pythonOfPyenv(): { readonly root: string; readonly version: string; readonly python: string } {
  const root = process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv');
  const versions = existsSync(join(root, 'versions')) ? readdirSync(join(root, 'versions')) : [];
  const minorOf = (version: string) => Number(version.split('.')[1]);
  const version = versions.filter((name) => /^3\.\d+\.\d+$/.test(name)).sort((a, b) => minorOf(b) - minorOf(a))[0];
  if (version === undefined) throw new Error(`no Python of pyenv in ${root}`);
  return { root, version, python: join(root, 'versions', version, 'bin/python3') };
}
