import { createHash, randomInt } from 'node:crypto';

/** Random bytes of a seed that is printed; the environment variable TEST_SEED replays it. */
export function seededBytes(length: number): Buffer {
  const seed = process.env['TEST_SEED'] ?? String(randomInt(2 ** 32));
  process.stderr.write(`random bytes of TEST_SEED=${seed}\n`);
  return createHash('shake256', { outputLength: length }).update(seed).digest();
}
