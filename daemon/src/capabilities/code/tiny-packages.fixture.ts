import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PACK = `
import sys, zipfile
directory, name, module = sys.argv[1:]
meta = f"{name}-1.0.dist-info"
with zipfile.ZipFile(f"{directory}/{name}-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr(module, f"value = '{name}'\\n")
    wheel.writestr(f"{meta}/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n")
    wheel.writestr(f"{meta}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(f"{meta}/RECORD", "")
`;

/** Writes a wheel with one module whose `value` is the name of the package; answers the directory of wheels. */
export function tinyWheel(directory: string, name: string, module = `${name}.py`): string {
  mkdirSync(directory, { recursive: true });
  const { status, stderr } = spawnSync('/usr/bin/python3', ['-c', PACK, directory, name, module]);
  if (status !== 0) throw new Error(stderr.toString());
  return directory;
}

/** A project that setuptools installs as editable; answers its directory. */
export function tinyProject(directory: string, name: string): string {
  const source = join(directory, name, 'src');
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, `${name}.py`), `value = '${name}'\n`);
  const config = `[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "${name}"\nversion = "1.0"\n`;
  writeFileSync(join(directory, name, 'pyproject.toml'), config);
  return join(directory, name);
}
