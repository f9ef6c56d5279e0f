import { stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import process from 'node:process';
import { makeBundle, packBundle } from './bundle/make-bundle.ts';
import { secondsOfRevision } from './images/labels.ts';
import { ROOT } from './root.ts';
import { sha256Of } from './sha256-of.ts';

const OUT = join(ROOT, 'dist/bundle');

try {
  const file = await packBundle(await makeBundle(ROOT, OUT), (await secondsOfRevision()) || 0);
  const size = ((await stat(file)).size / 1e6).toFixed(1);
  process.stdout.write(`${await sha256Of(file)}  ${basename(file)}\n`);
  process.stderr.write(`bundle: ${relative('', file)}: ${size} MB\n`);
} catch (error) {
  process.stderr.write(`bundle: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
