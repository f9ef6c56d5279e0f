import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';

test('[code.session-gives-way] an idle session without a name gives way, a named one does not', async () => {
  await using daemon = await TestApp.start({ kernelMaxSessions: 2 });
  const create = async (body: object = {}) => daemon.post('/v2/code/sessions', { language: 'python', ...body });
  const ids = async () =>
    (await daemon.inject('/v2/code/sessions'))
      .json()
      .data.sessions.map(({ session_id }: { session_id: string }) => session_id)
      .sort();
  const first = (await create()).json().data.session_id;
  const second = (await create()).json().data.session_id;
  await daemon.post('/v2/code/execute', { language: 'python', code: '1', session_id: first });
  expect((await create({ session_id: 'named' })).statusCode).toBe(200);
  expect(await ids()).toEqual([first, 'named'].sort());
  const refused = await create();
  expect([refused.statusCode, refused.json().data.holders.length]).toEqual([429, 2]);
  expect(second).not.toBe(first);
}, 60_000);
