import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { E2bClient } from '../e2b-client.fixture.ts';

const testKernels = test.runIf(has('ipykernel'));

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
  const listed = async () => (await client.fetch('/contexts')).json();
  const shared = ['python', 'javascript'].map((language) => expect.objectContaining({ language }));
  expect(await listed()).toEqual([...shared, context]);
  expect((await client.fetch(`/contexts/${context.id}/restart`, { method: 'POST' })).status).toBe(200);
  expect(await run('typeof y')).toContainEqual(expect.objectContaining({ text: 'undefined' }));
  expect((await client.fetch(`/contexts/${context.id}`, { method: 'DELETE' })).status).toBe(200);
  expect((await client.fetch(`/contexts/${context.id}`, { method: 'DELETE' })).status).toBe(404);
  const both = await client.fetch('/execute', { method: 'POST', json: { code: '1', context_id: 'x', language: 'js' } });
  expect(both.status).toBe(400);
});

test.each([
  ['js', 'String(process.env.Q)', 'undefined', 'of the sandbox'],
  ['bash', 'printenv Q || echo undefined', 'undefined', 'of the sandbox'],
])('[e2b.code] variables of a call end with it, in %s', async (language, code, unset, own) => {
  await using client = await E2bClient.start();
  await client.create({ envVars: { FOO: own } });
  const shown = async (text: string, variables?: object) => {
    const events = await execute(client, { code: text, language, env_vars: variables });
    return events.flatMap((event) => (typeof event['text'] === 'string' ? [event['text'].trim()] : []));
  };
  const foo = code.replaceAll('Q', 'FOO');
  expect(await shown(code, { Q: "of 'the' call", FOO: 'other' })).toEqual(["of 'the' call"]);
  expect(await shown(foo, { FOO: 'other' })).toEqual(['other']);
  expect([await shown(code), await shown(foo)]).toEqual([[unset], [own]]);
});

test('[e2b.code] contexts end with their sandbox, so that the next one starts without their state', async () => {
  await using client = await E2bClient.start({ sandboxId: 'box' });
  await client.create();
  await execute(client, { code: 'globalThis.y = 1', language: 'js' });
  await client.fetch('/contexts', { method: 'POST', json: { language: 'js', cwd: '/tmp' } });
  const listed = async () => (await (await client.fetch('/contexts')).json()).map(({ id }: { id: string }) => id);
  const shared = ['e2b-box-python', 'e2b-box-javascript'];
  expect(await listed()).toEqual([...shared, expect.stringContaining('e2b-box-')]);
  await client.fetch('/sandboxes/box', { method: 'DELETE' });
  await client.create();
  expect(await listed()).toEqual(shared);
  expect(await execute(client, { code: 'typeof y', language: 'js' })).toContainEqual(
    expect.objectContaining({ text: 'undefined' }),
  );
});

test('[e2b.code] the answer of a cell is cut if its sandbox ends, so that the client does not take it for whole', async () => {
  await using client = await E2bClient.start({ sandboxId: 'box' });
  await client.create();
  const code = 'console.log("runs"); await new Promise((done) => setTimeout(done, 600_000))';
  const answer = await client.fetch('/execute', { method: 'POST', json: { code, language: 'js' } });
  const reader = answer.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('runs');
  await client.fetch('/sandboxes/box', { method: 'DELETE' });
  const rest = async (): Promise<void> => {
    while (!(await reader?.read())?.done);
  };
  await expect(rest()).rejects.toThrow('terminated');
});

test('[e2b.code] a call whose sandbox ends before its context is there gets the answer of a sandbox that has ended', async () => {
  await using client = await E2bClient.start({ sandboxId: 'box' });
  for (const [path, json] of Object.entries({
    '/execute': { code: '1', language: 'js' },
    '/contexts': { language: 'js' },
  })) {
    await client.create();
    const call = request(`${client.url}${path}`, { method: 'POST', headers: { expect: '100-continue' } });
    const answered = once(call, 'response');
    call.flushHeaders();
    await once(call, 'continue');
    await client.fetch('/sandboxes/box', { method: 'DELETE' });
    call.end(JSON.stringify(json));
    const [answer] = (await answered) as [IncomingMessage];
    expect([answer.statusCode, JSON.parse(await text(answer))]).toEqual([
      502,
      { sandboxId: 'box', message: 'The sandbox box was not found', code: 502 },
    ]);
  }
});

test('[e2b.code] shared ids see, use and end their own contexts alone', async () => {
  await using client = await E2bClient.start({ protocolShared: true });
  const [one = '', two = ''] = [(await client.create()).sandboxID, (await client.create()).sandboxID];
  const of = (id: string) => ({ headers: { 'e2b-sandbox-id': id } });
  const made = await client.fetch('/contexts', { method: 'POST', json: { language: 'js', cwd: '/tmp' }, ...of(one) });
  const { id } = await made.json();
  const listed = async (sandbox: string) => (await (await client.fetch('/contexts', of(sandbox))).json()).slice(2);
  expect([await listed(one), await listed(two)]).toMatchObject([[{ id }], []]);
  expect((await client.fetch(`/contexts/${id}`, { method: 'DELETE', ...of(two) })).status).toBe(404);
  await client.fetch(`/sandboxes/${two}`, { method: 'DELETE' });
  expect(await listed(one)).toMatchObject([{ id }]);
});

testKernels('[e2b.formats] values have the formats of E2B in the first cell and the count of one cell', async () => {
  await using client = await E2bClient.start();
  await client.create();
  expect(await execute(client, { code: '[1, {"a": None}]' })).toEqual([
    expect.objectContaining({ type: 'result', text: "[1, {'a': None}]", json: [1, { a: null }], is_main_result: true }),
    { type: 'number_of_executions', execution_count: 1 },
  ]);
  const own =
    'class Own:\n  def _repr_e2b_chart_(self): return {"type": "x"}\n  def _repr_e2b_data_(self): return "a\\nb"\nOwn()';
  expect(await execute(client, { code: own })).toContainEqual(
    expect.objectContaining({ type: 'result', chart: { type: 'x' }, data: 'a\nb', extra: {} }),
  );
  const names = '[name for name in globals() if "e2b" in name or name in ("plain", "chart_of")]';
  expect(await execute(client, { code: names })).toContainEqual(expect.objectContaining({ json: [] }));
  expect(await execute(client, { code: 'Out' })).toContainEqual(expect.objectContaining({ type: 'result' }));
});
