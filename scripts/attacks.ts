import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { ROOT } from './root.ts';
import { attackRounds } from './testing/attack-rounds.ts';

/** Milliseconds after which a round that hangs is ended: a busy machine takes hours. */
const ROUND_MS = 21_600_000;
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

const seconds = Number(process.env['ATTACK_SECONDS'] ?? 0);
if (!(seconds >= 0)) throw new Error('ATTACK_SECONDS is not a number of seconds');

async function run(variables: Readonly<Record<string, string>>): Promise<number> {
  const child = spawn(process.execPath, [VITEST, 'run', '--project', 'attacks', ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
    timeout: ROUND_MS,
    env: { ...process.env, TEST_EXTENT: 'whole', ...variables },
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
process.exitCode = await attackRounds({ seconds, seed: process.env['ATTACK_SEED'], say, run });
