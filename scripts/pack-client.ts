// Adds the command line to the package that `npm pack` makes of clients/typescript.
import { join } from 'node:path';
import { bundleAlone } from './build/bundle-alone.ts';
import { COMMAND_LINE } from './build/command-line.ts';
import { ROOT } from './root.ts';

await bundleAlone(ROOT, COMMAND_LINE, join(ROOT, 'clients/typescript/dist'));
