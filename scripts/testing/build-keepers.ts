import process from 'node:process';
import { buildAddons } from '../build/addons.ts';
import { buildKeeper, KEEPER, SANITIZED_KEEPER } from '../build/keeper.ts';
import { ROOT } from '../root.ts';
import { has } from './machine.ts';

/** vitest runs this before the unit tests. If a build is not possible, that is printed, and its tests are skipped. */
export async function setup(): Promise<void> {
  await buildAddons(ROOT);
  await Promise.all(
    [KEEPER, SANITIZED_KEEPER].map(async (variant) => {
      const result = await buildKeeper(ROOT, variant).catch((error: unknown) => {
        // A compiler may lack the sanitizers' libraries; any other failure counts.
        if (variant === KEEPER || has('sanitizers')) throw error;
        return error instanceof Error ? error.message : String(error);
      });
      if (result !== 'built' && result !== 'up to date') process.stderr.write(`no ${variant.name}: ${result}\n`);
    }),
  );
}
