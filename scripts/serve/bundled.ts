import { join } from 'node:path';
import process from 'node:process';
import { NODE_FLAGS, runServices } from './run-services.ts';

/** The directory of the bundles, beside which `bin` is. */
const PRODUCT = join(process.argv[1] ?? '', '..');

const command = (bundle: string): string[] => [process.execPath, ...NODE_FLAGS, join(PRODUCT, bundle)];

const code = await runServices({
  name: 'sandbox serve',
  programs: { sandboxd: command('sandboxd.mjs'), gateway: command('gateway.mjs') },
  commandLine: join(PRODUCT, '../bin'),
});
process.exit(code);
