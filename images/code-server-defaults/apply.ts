import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** In what the server tells the workbench of every page: an object that may say `configurationDefaults` too. */
const TOLD = /(?<=[{,])productConfiguration:[\w$]+,callbackRoute:[\w$]+(?=[,}])/g;

// Settings in a file of the account's would be the account's own, and those of an extension come after the first layout.
const file = join(process.argv[2] ?? '', 'lib/node_modules/code-server/lib/vscode/out/server-main.js');
const settings: unknown = JSON.parse(readFileSync(join(import.meta.dirname, 'settings.json'), 'utf8'));
const server = readFileSync(file, 'utf8');
const found = server.match(TOLD)?.length ?? 0;
if (found !== 1) throw new Error(`${file} tells the workbench its configuration in ${found} places, not in one`);
writeFileSync(
  file,
  server.replace(TOLD, (told) => `${told},configurationDefaults:${JSON.stringify(settings)}`),
);
