import { stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import process from 'node:process';
import { ARCHITECTURES, type Architecture, crossCompiler, OWN } from './build/architecture.ts';
import { makeBundle, packBundle } from './bundle/make-bundle.ts';
import { secondsOfRevision } from './images/labels.ts';
import { ROOT } from './root.ts';
import { sha256Of } from './sha256-of.ts';
import { mayInstall, unmet } from './test-all/need.ts';

const OUT = join(ROOT, 'dist/bundle');

try {
  const architecture = wanted(process.argv[2] ?? OWN);
  const needs = architecture === OWN ? [] : [crossCompiler(architecture)];
  const [missing] = await unmet(needs, mayInstall());
  if (missing) throw new Error(`${missing.name} is missing: ${missing.reason}`);
  const directory = await makeBundle(ROOT, OUT, architecture);
  const file = await packBundle(directory, (await secondsOfRevision()) || 0, architecture);
  const size = ((await stat(file)).size / 1e6).toFixed(1);
  process.stdout.write(`${await sha256Of(file)}  ${basename(file)}\n`);
  process.stderr.write(`bundle: ${relative('', file)}: ${size} MB\n`);
} catch (error) {
  process.stderr.write(`bundle: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function wanted(name: string): Architecture {
  if (name !== 'arm64' && name !== 'x64') throw new Error(`${name}: one of ${Object.keys(ARCHITECTURES).join(', ')}`);
  return name;
}
