import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { has } from '../../scripts/testing/machine.ts';
import { followRecorded } from '../recorded-session.ts';
import { Services } from '../services.ts';

const missing = (['vim', 'htop', 'script'] as const).filter((name) => !has(name));

test.runIf(missing.length === 0)(
  '[pty.whole] [pty.recorded] vim, htop and 50 MB reach three viewers, one stalled and one paused, exactly as recorded by script',
  { timeout: 300_000 },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'recorded-'));
    await using services = await Services.start({
      SVC_API_KEY: 'the-key',
      SVC_PTY_HISTORY_BYTES: String(64 * 2 ** 20),
    });
    await followRecorded({ url: services.url, key: 'the-key', directory, read: (path) => readFile(path) }, [
      { command: `vim -u NONE -i NONE ${directory}/note`, shows: '~', keys: ['ihello from vim', '\x1b', ':wq\r'] },
      { command: 'htop', shows: 'F10', keys: ['q'] },
    ]);
    expect(await readFile(`${directory}/note`, 'utf8')).toBe('hello from vim\n');
    await rm(directory, { recursive: true });
  },
);
