import { randomInt } from 'node:crypto';

export interface AttackTerms {
  /** Seconds in which rounds begin; 0: one round. */
  readonly seconds: number;
  /** The seed of the first round; unset: the fixed one of one round, a new one of many. */
  readonly seed: string | undefined;
  readonly say: (line: string) => void;
  /** Runs one round with variables for the tests; resolves with its exit code. */
  readonly run: (variables: Readonly<Record<string, string>>) => Promise<number>;
}

/** Runs rounds of attacks, each with a seed of its own; ends with the time or the first round that fails. */
export async function attackRounds({ seconds, seed, say, run }: AttackTerms): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let next = seed ?? (seconds > 0 ? newSeed() : undefined);
  for (let round = 1; ; round += 1) {
    say(next === undefined ? 'attacks with the fixed seed' : `round ${round}: ATTACK_SEED=${next} replays it`);
    const code = await run(next === undefined ? {} : { ATTACK_SEED: next, TEST_SEED: next });
    if (code !== 0 || performance.now() >= end) return code;
    next = newSeed();
  }
}

function newSeed(): string {
  return String(randomInt(2 ** 31));
}
