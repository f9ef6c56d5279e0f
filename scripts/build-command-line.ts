// Builds the command line alone, for a checkout whose service is a container.
import { join } from 'node:path';
import { bundleAlone } from './build/bundle-alone.ts';
import { COMMAND_LINE } from './build/command-line.ts';
import { ROOT } from './root.ts';

await bundleAlone(ROOT, COMMAND_LINE, join(ROOT, 'dist'));
