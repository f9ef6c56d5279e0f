import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';

test('[v1.exec-no-timeout] without timeout it waits for the end, beyond 30 s too', async () => {
  await using daemon = await TestApp.start();
  const { data } = (await daemon.post('/v1/bash/exec', { command: 'sleep 31; echo end' })).json();
  expect(data).toMatchObject({ status: 'completed', stdout: 'end\n' });
});
