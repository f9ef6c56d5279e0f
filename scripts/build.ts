import process from 'node:process';
import { build } from './build/build.ts';
import { buildKeeper } from './build/keeper.ts';
import { ROOT } from './root.ts';

const started = performance.now();
const [bundled, keeper] = await Promise.all([build(ROOT), buildKeeper(ROOT)]);
if (keeper === 'no compiler') {
  process.stdout.write(
    'build: no C compiler, so no process keeper: commands end with the daemon (apt-get install gcc)\n',
  );
}
const built = bundled || keeper === 'built';
process.stdout.write(built ? `build: done in ${Math.round(performance.now() - started)} ms\n` : 'build: up to date\n');
