import { expect, test } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';

const LENGTH = 100_000;

test('[answers.listeners] large answers, also those of errors, warn of no leak of listeners', async () => {
  await using directory = await tempDir();
  await using daemon = await DaemonProcess.start(directory.path);
  const said: Buffer[] = [];
  daemon.child.stderr?.on('data', (text: Buffer) => said.push(text));
  const run = async (body: object): Promise<readonly [number, boolean]> => {
    const answer = await fetch(`${daemon.base}/v2/commands`, { method: 'POST', body: JSON.stringify(body) });
    return [answer.status, (await answer.text()).length > LENGTH];
  };
  const command = `head -c ${LENGTH} /dev/zero | tr '\\0' a`;
  expect(await run({ command, max_output_length: LENGTH })).toEqual([200, true]);
  expect(await run({ command, user: 'a'.repeat(LENGTH) })).toEqual([400, true]);
  await daemon.stop('SIGTERM');
  expect(Buffer.concat(said).toString()).toBe('');
});
