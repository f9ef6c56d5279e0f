import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { create, exec, info, input } from './pty.fixture.ts';

test('a call that gave up its turn lets the ones behind it have theirs', async () => {
  await using daemon = await TestApp.start();
  await create(daemon, 'a');
  await exec(daemon, 'a', 'read line; echo "got $line"', { async: true });
  const impatient = await daemon.post('/v2/pty/sessions/a/exec', { command: 'echo second', timeout: 0.05 });
  expect(impatient.statusCode).toBe(409);
  const third = exec(daemon, 'a', 'echo third', { timeout: 80 });
  await input(daemon, 'a', 'it\n');
  expect(await third).toMatchObject({ status: 'completed', output: 'third\n' });
});

test('a hard timeout that is longer than the call waits holds all the same', async () => {
  await using daemon = await TestApp.start();
  await create(daemon, 'a');
  const more = { timeout: 0.1, hard_timeout: 0.4 };
  const begun = performance.now();
  expect(await exec(daemon, 'a', 'sleep 1000', more)).toMatchObject({ status: 'running' });
  await expect.poll(async () => (await info(daemon, 'a')).current_command).toBeNull();
  // A timer counts from a clock that was read a moment earlier.
  expect(performance.now() - begun).toBeGreaterThan(390);
});

test('[pty.exec-hard-timeout] the hard timeout holds where the call is answered earlier for lack of output', async () => {
  await using daemon = await TestApp.start();
  await create(daemon, 'a');
  const more = { no_change_timeout: 0.3, hard_timeout: 1.2 };
  expect(await exec(daemon, 'a', 'sleep 1000', more)).toMatchObject({ status: 'no_change_timeout' });
  await expect.poll(async () => (await info(daemon, 'a')).current_command).toBeNull();
});

test('[pty.exec-hard-timeout] the hard timeout holds where the client leaves earlier', async () => {
  await using daemon = await TestApp.start();
  const base = await daemon.listen();
  await create(daemon, 'a');
  const leaving = new AbortController();
  const body = JSON.stringify({ command: 'sleep 1000', hard_timeout: 1 });
  const call = fetch(`${base}/v2/pty/sessions/a/exec`, { method: 'POST', body, signal: leaving.signal });
  call.catch(() => {});
  await expect.poll(async () => (await info(daemon, 'a')).current_command).toBe('sleep 1000');
  leaving.abort();
  await expect.poll(async () => (await info(daemon, 'a')).current_command).toBeNull();
});
