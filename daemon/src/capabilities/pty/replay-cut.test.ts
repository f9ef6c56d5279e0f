import { expect, test } from 'vitest';
import { create, info, started, TestViewer } from './pty.fixture.ts';

test('a viewer whose replay ends within a character gets it whole once the rest has come', async () => {
  await using service = await started();
  const { daemon, ws } = service;
  const script = String.raw`stty raw -echo; printf 'a\xe6'; head -c 1 > /dev/null; printf '\x97\xa5 over'; read x`;
  await create(daemon, 'a', { command: 'bash', args: ['-c', script] });
  await expect.poll(async () => (await info(daemon, 'a')).offset).toBe(2);
  await using viewer = new TestViewer(`${ws}/v2/pty/sessions/a/ws?restore=true&replay_bytes=262144`);
  expect((await viewer.message('restore_output')).data).toBe('a');
  viewer.type('x');
  await viewer.shows(' over');
  expect(viewer.text).toBe('日 over');
});
