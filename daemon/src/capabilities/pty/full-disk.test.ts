import { describe, expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { SmallDisk } from '../../../../scripts/testing/small-disk.ts';
import { TestApp } from '../../app.fixture.ts';
import { describeOnHosts } from '../../hosts.fixture.ts';
import { BARE, create, exec, info } from './pty.fixture.ts';

const SHELLS = [
  ['bash', BARE],
  ['sh', { command: 'sh', args: [], env: { PS1: '$ ' } }],
  ['zsh', { command: 'zsh', args: ['-f'], env: { PS1: '$ ' } }],
] as const;

describe.skipIf(!has('mounts'))('terminals on a full disk', () => {
  describeOnHosts('a full disk', () => {
    test.each(SHELLS)('[pty.full-disk] exec in %s tells the end of a command', async (name, shell) => {
      await using disk = await SmallDisk.mount(4);
      await using daemon = await TestApp.start({ shellBackend: 'native' }, disk.path);
      await create(daemon, 'a', shell);
      expect(await exec(daemon, 'a', 'echo begun')).toMatchObject({ status: 'completed', exit_code: 0 });
      disk.fill();
      const loud = `head -c 6000000 /dev/zero | tr '\\0' x; (exit 7)`;
      expect([name, await exec(daemon, 'a', loud, { timeout: 60 })]).toMatchObject([
        name,
        { status: 'completed', exit_code: 7 },
      ]);
      expect(await exec(daemon, 'a', '(exit 8)', { timeout: 60 })).toMatchObject({ status: 'completed', exit_code: 8 });
      expect(await info(daemon, 'a')).toMatchObject({ current_command: null, status: 'idle' });
      const late = await exec(daemon, 'a', 'sleep 1000', { hard_timeout: 1, timeout: 60 });
      expect(late).toMatchObject({ status: 'hard_timeout' });
      expect(await exec(daemon, 'a', '(exit 9)', { timeout: 60 })).toMatchObject({ exit_code: 9 });
    });
  });
});
