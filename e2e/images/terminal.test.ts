import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { followRecorded } from '../recorded-session.ts';
import { pollByProcess } from './observe.ts';
import { NO_BROWSER, NO_KERNELS, sharedSandbox } from './sandbox.ts';

const KEY = 'secret-key';
const sandbox = sharedSandbox({
  env: { SVC_API_KEY: KEY, SVC_PTY_HISTORY_BYTES: String(64 * 2 ** 20), ...NO_BROWSER, ...NO_KERNELS },
});

async function exec(id: string, command: string): Promise<string> {
  const path = `/v2/pty/sessions/${id}/exec`;
  return (await sandbox().post<{ output: string }>(path, { command })).output.trim();
}

async function screenShows(id: string, text: string): Promise<void> {
  const screen = async () => {
    const answer = await sandbox().fetch(`/v2/pty/sessions/${id}/screen`);
    return ((await answer.json()) as { data: { output: string } }).data.output;
  };
  await expect.poll(screen).toContain(text);
}

test('[images.terminal] a terminal runs as the default user with the PATH of commands', async () => {
  await sandbox().post('/v2/pty/sessions', { id: 'a' });
  expect(await exec('a', 'id -un; pwd')).toBe('sandbox\n/home/sandbox');
  const { stdout } = await sandbox().run('echo "$PATH"');
  expect(await exec('a', 'echo "$PATH"')).toBe(stdout.trim());
});

test('[images.terminal] full-screen programs of the image are controlled by keys and shown on the screen', async () => {
  await sandbox().post('/v2/pty/sessions', { id: 'b' });
  const type = (input: string): Promise<unknown> => sandbox().post('/v2/pty/sessions/b/input', { input });
  await type('nano /home/sandbox/note\r');
  await screenShows('b', 'GNU nano');
  await type('kept by nano\u0013\u0018');
  await pollByProcess(() => sandbox().shell('pgrep -x nano || cat /home/sandbox/note')).toBe('kept by nano');
  await type('python3 -q\r');
  await screenShows('b', '>>>');
  await type('6 * 7\r');
  await screenShows('b', '42');
});

test('[images.terminal] the terminal page is served to clients with the key', async () => {
  expect((await fetch(`${sandbox().url}/terminal/`)).status).toBe(401);
  const page = await sandbox().fetch('/terminal/');
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('xterm')]);
});

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
