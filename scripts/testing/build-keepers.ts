import process from 'node:process';
import { buildKeeper, KEEPER, SANITIZED_KEEPER } from '../build/keeper.ts';
import { ROOT } from '../root.ts';

/** Run by vitest before the unit tests; what cannot be built here is said, and its tests are left out. */
export async function setup(): Promise<void> {
  await Promise.all(
    [KEEPER, SANITIZED_KEEPER].map(async (variant) => {
      const result = await buildKeeper(ROOT, variant).catch((error: unknown) => {
        // A compiler need not bring the sanitizers' libraries; for the keeper itself there is no excuse.
        if (variant === KEEPER) throw error;
        return error instanceof Error ? error.message : String(error);
      });
      if (result !== 'built' && result !== 'up to date') process.stderr.write(`no ${variant.name}: ${result}\n`);
    }),
  );
}
