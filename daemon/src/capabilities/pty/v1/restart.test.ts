import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { hasKeeper } from '../../../hosts.fixture.ts';
import { BARE, TestViewer } from '../pty.fixture.ts';

test.runIf(hasKeeper)(
  'the console of a session survives SIGKILL of the daemon, its running command included',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sandboxd-pty-'));
    const first = await DaemonProcess.start(directory);
    await first.data('/v2/pty/sessions', { ...BARE, id: 'a', cwd: '/usr' });
    await first.data('/v1/shell/exec', { id: 'a', command: 'echo early; A=kept' });
    await using viewer = new TestViewer(`${first.base.replace('http', 'ws')}/v1/shell/ws?session_id=a`);
    const command = 'echo reading; read -r x; echo "read $x"';
    await first.data('/v1/shell/exec', { id: 'a', command, async_mode: true });
    await viewer.shows('reading\r\n');
    await first.stop('SIGKILL');
    await viewer.closed;

    await using second = await DaemonProcess.start(directory);
    await second.data('/v1/shell/write', { id: 'a', input: 'back', press_enter: true });
    await second.data('/v1/shell/exec', { id: 'a', command: 'echo "$A $PWD"' });
    const view = await second.data('/v1/shell/view', { id: 'a' });
    expect(view.console.map((record: { output: string }) => record.output)).toEqual([
      'early\n',
      'reading\nback\nread back\n',
      'kept /usr\n',
    ]);
    await second.stop('SIGTERM');
    await rm(directory, { recursive: true });
  },
);
