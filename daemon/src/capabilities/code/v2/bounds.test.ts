import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';

let daemon: TestApp;

beforeAll(async () => {
  daemon = await TestApp.start();
});
afterAll(async () => daemon[Symbol.asyncDispose]());

test.each([
  [{ timeout: 901 }],
  [{ timeout: 0 }],
  [{ code: 5 }],
  [{ session_id: '' }],
  [{ env: { 'A=B': '' } }],
  [{ language: '' }],
])('[code.bounds] %j answers 422', async (more) => {
  const answer = await daemon.post('/v2/code/execute', { language: 'python', code: '1', ...more });
  expect([answer.statusCode, answer.json().errors[0].location.slice(0, 2)]).toEqual([
    422,
    ['body', Object.keys(more)[0]],
  ]);
});

test('[code.read] an execution or session that there is not is 404', async () => {
  for (const path of ['executions/none', 'sessions/none']) {
    expect((await daemon.inject(`/v2/code/${path}`)).statusCode).toBe(404);
    expect((await daemon.post(`/v2/code/${path}/interrupt`)).statusCode).toBe(404);
  }
  expect((await daemon.post('/v2/code/sessions/none/restart')).statusCode).toBe(404);
});
