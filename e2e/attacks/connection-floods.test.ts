import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from '../../scripts/testing/temp-dir.ts';

const run = promisify(execFile);
const SEED = process.env['ATTACK_SEED'] ?? '1';
const isWhole = process.env['TEST_EXTENT'] === 'whole';

/** The network namespace ends with the only process in it. */
const SETUP = 'ip link set lo up && ip address add 10.99.0.0/24 dev lo && exec "$@"';
const NAMESPACE = ['-Urn', '--kill-child=SIGKILL', '--fork', 'sh', '-c', SETUP, 'sh'];

const FLOODS: readonly (readonly [addresses: number, each: number])[] = [
  [1, 4_200],
  [12, 400],
];

test.runIf(process.platform === 'linux').each(isWhole ? FLOODS : [[1, 1_000] as const])(
  `[connection.flood] from %i addresses, %i connections each, with the seed ${SEED}`,
  async (addresses, each) => {
    await using directory = await tempDir();
    const script = fileURLToPath(new URL('./flood.fixture.ts', import.meta.url));
    const args = [process.execPath, script, directory.path, String(addresses), String(each), SEED];
    const { stdout } = await run('unshare', [...NAMESPACE, ...args]);
    const { open, ...answers } = JSON.parse(stdout) as { open: number };
    const throughDaemon = { daemonHealth: 200, healthThrough: 200, callThrough: 200 };
    expect(answers).toEqual({ health: 200, other: 200, same: 200, before: '200', ...throughDaemon });
    expect(open).toBeLessThanOrEqual(addresses === 1 ? 512 : 4_096);
  },
);
