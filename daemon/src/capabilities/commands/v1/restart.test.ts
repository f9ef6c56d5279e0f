import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';

test('[v1.exec-lost] a command that a restart lost shows as killed', async () => {
  await using directory = await tempDir();
  const first = await DaemonProcess.start(directory.path, { SVC_PROCESS_HOST: 'portable' });
  await first.data('/v1/bash/exec', { session_id: 's', command: 'sleep 72', async_mode: true });
  await first.stop('SIGKILL');
  await using second = await DaemonProcess.start(directory.path, { SVC_PROCESS_HOST: 'portable' });
  const { command } = await second.data('/v1/bash/output', { session_id: 's' });
  expect(command).toMatchObject({ status: 'killed', exit_code: -1 });
});
