import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { cellsOf } from '../languages.fixture.ts';

test('[code.session] one id names a session of each kind of interpreter; without a kind the newest used', async () => {
  await using daemon = await TestApp.start();
  const [script, typed, shell] = ['javascript', 'typescript', 'bash'].map((language) => cellsOf(daemon, language));
  await script?.('let x = 5');
  await shell?.('x=6');
  expect((await typed?.('const n: number = x; console.log(n)'))?.stdout).toBe('5\n');
  expect((await shell?.('echo $x'))?.stdout).toBe('6\n');
  const languages = async () => {
    const { sessions } = (await daemon.inject('/v2/code/sessions')).json().data;
    return sessions.map(({ session_id, language }: Record<string, string>) => `${session_id} ${language}`).sort();
  };
  const shown = async () => (await daemon.inject('/v2/code/sessions/s')).json().data.language;
  expect([await languages(), await shown()]).toEqual([['s bash', 's javascript'], 'bash']);
  await script?.('x');
  expect(await shown()).toBe('javascript');
  expect((await daemon.inject({ method: 'DELETE', url: '/v2/code/sessions/s' })).statusCode).toBe(200);
  expect(await languages()).toEqual([]);
});
