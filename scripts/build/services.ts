import { debianPackage, mayInstall, unmet } from '../test-all/need.ts';
import { buildAddons } from './addons.ts';
import { build } from './build.ts';
import { buildKeeper } from './keeper.ts';

const COMPILER = {
  name: 'cc',
  probe: ['cc', '--version'],
  obtain: [...debianPackage('gcc'), ...debianPackage('libc6-dev').slice(1)],
  reason: 'the process keeper is compiled with it',
};

const WITHOUT = 'commands end with the daemon';

/**
 * Builds the bundles and the process keeper if their inputs have changed. Without a compiler, root on Debian installs
 * one; elsewhere, or if the keeper does not compile, a line says so and the services run without it.
 * @returns whether anything was built
 */
export async function buildServices(root: string, say: (line: string) => void): Promise<boolean> {
  const [bundled, keeper] = await Promise.all([build(root, { onStart: () => say('building') }), tryKeeper(root, say)]);
  const addons = await buildAddons(root).catch(() => 'failed');
  return keeper === 'built' || addons === 'built' || bundled;
}

async function tryKeeper(root: string, say: (line: string) => void): Promise<string> {
  try {
    const result = await buildKeeper(root);
    if (result !== 'no compiler') return result;
    if (mayInstall()) {
      say('no C compiler for the process keeper: installing one');
      if ((await unmet([COMPILER], true)).length === 0) return await buildKeeper(root);
    }
    say(`no C compiler, so no process keeper: ${WITHOUT} (apt-get install gcc libc6-dev)`);
    return result;
  } catch (error) {
    say(`the process keeper cannot be compiled: ${WITHOUT}: ${error instanceof Error ? error.message : String(error)}`);
    return 'failed';
  }
}
