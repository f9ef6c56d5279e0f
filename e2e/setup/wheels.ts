import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { ROOT } from '../../scripts/root.ts';

/** What days of analysts install. */
const PACKAGES = ['ipykernel', 'matplotlib', 'pandas', 'tqdm', 'uv', 'setuptools', 'wheel'];
const MACHINE = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const GLIBC = ['2014', '_2_17', '_2_24', '_2_26', '_2_27', '_2_28'];

/** The directory of wheels for a Python of that version, such as 3.13. */
export function wheelsOf(version: string): string {
  return join(ROOT, 'dist/wheels', version);
}

/** Fills the directory if it is missing: a few seconds. Tests then ask no index. */
export function fillWheels(version: string): void {
  const directory = wheelsOf(version);
  if (existsSync(directory)) return;
  const made = `${directory}.new`;
  rmSync(made, { recursive: true, force: true });
  const platforms = GLIBC.flatMap((glibc) => ['--platform', `manylinux${glibc}_${MACHINE}`]);
  const args = ['-m', 'pip', 'download', '-q', '-d', made, '--only-binary=:all:', '--python-version', version];
  const { status } = spawnSync('/usr/bin/python3', [...args, ...platforms, ...PACKAGES], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(`wheels for Python ${version} could not be downloaded: ${status}`);
  renameSync(made, directory);
}

/** Variables with which pip and uv install from the directory alone. */
export function installFrom(directory: string): Readonly<Record<string, string>> {
  return {
    PIP_FIND_LINKS: directory,
    PIP_NO_INDEX: '1',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    UV_FIND_LINKS: directory,
    UV_NO_INDEX: '1',
    UV_OFFLINE: '1',
  };
}
