import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { followRecorded } from '../recorded-session.ts';
import { sharedSandbox } from './sandbox.ts';

const KEY = 'the-key';
const sandbox = sharedSandbox({ env: { SVC_API_KEY: KEY, SVC_PTY_HISTORY_BYTES: String(64 * 2 ** 20) } });

test('[images.terminal-recorded] nano, less and 50 MB reach three viewers, one stalled and one paused, exactly as recorded by script', {
  timeout: 300_000,
}, async () => {
  const directory = (await sandbox().run('mktemp -d')).stdout.trim();
  const read = async (path: string): Promise<Buffer> => {
    const answer = await sandbox().fetch(`/v2/fs/download?path=${encodeURIComponent(path)}`);
    expect(answer.status).toBe(200);
    return answer.body === null ? Buffer.alloc(0) : buffer(answer.body);
  };
  await followRecorded({ url: sandbox().url, key: KEY, directory, read }, [
    {
      command: `nano --ignorercfiles ${directory}/note`,
      shows: 'GNU nano',
      keys: ['hello from nano', '\x0f', '\r', '\x18'],
    },
    { command: 'less /etc/passwd', shows: 'root:', keys: ['q'] },
  ]);
  expect(String(await read(`${directory}/note`))).toBe('hello from nano\n');
});
