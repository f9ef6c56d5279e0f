import { expect, test } from 'vitest';
import { E2bClient } from '../e2b-client.fixture.ts';

async function execute(client: E2bClient, json: object): Promise<Record<string, unknown>[]> {
  const answer = await client.fetch('/execute', { method: 'POST', json });
  const text = await answer.text();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('[e2b.code] cells share the context of their language, and report outputs, results and errors', async () => {
  await using client = await E2bClient.start();
  await client.create({ envVars: { FOO: 'of the sandbox' } });
  const first = await execute(client, { code: 'console.log("out"); globalThis.x = 41; "text"', language: 'js' });
  expect(first).toMatchObject([
    { type: 'stdout', text: 'out\n' },
    { type: 'result', text: 'text', is_main_result: true },
    { type: 'number_of_executions' },
  ]);
  const next = await execute(client, {
    code: '[x + 1, process.env.FOO, process.env.Q].join()',
    language: 'javascript',
    env_vars: { Q: 'ü"\'' },
  });
  expect(next).toContainEqual(expect.objectContaining({ type: 'result', text: '42,of the sandbox,ü"\'' }));
  const failed = await execute(client, { code: 'null.x', language: 'js' });
  expect(failed).toContainEqual(
    expect.objectContaining({ type: 'error', name: 'TypeError', traceback: expect.any(String) }),
  );
});

test('[e2b.code] contexts are made, listed, restarted and removed', async () => {
  await using client = await E2bClient.start();
  const made = await client.fetch('/contexts', { method: 'POST', json: { language: 'js', cwd: '/tmp' } });
  const context = (await made.json()) as { readonly id: string };
  expect(context).toMatchObject({ language: 'javascript', cwd: '/tmp' });
  const run = (code: string) => execute(client, { code, context_id: context.id });
  expect(await run('globalThis.y = 1; process.cwd()')).toContainEqual(expect.objectContaining({ text: '/tmp' }));
  expect(await (await client.fetch('/contexts')).json()).toEqual([context]);
  expect((await client.fetch(`/contexts/${context.id}/restart`, { method: 'POST' })).status).toBe(200);
  expect(await run('typeof y')).toContainEqual(expect.objectContaining({ text: 'undefined' }));
  expect((await client.fetch(`/contexts/${context.id}`, { method: 'DELETE' })).status).toBe(200);
  expect((await client.fetch(`/contexts/${context.id}`, { method: 'DELETE' })).status).toBe(404);
  const both = await client.fetch('/execute', { method: 'POST', json: { code: '1', context_id: 'x', language: 'js' } });
  expect(both.status).toBe(400);
});
