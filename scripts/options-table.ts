import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withOptionTables } from './readme/options-table.ts';
import { ROOT } from './root.ts';

const file = join(ROOT, 'docs/configuration.md');
await writeFile(file, withOptionTables(await readFile(file, 'utf8')));
