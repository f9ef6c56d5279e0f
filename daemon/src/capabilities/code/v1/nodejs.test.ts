import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { expectValid } from '../../../wire.fixture.ts';

const URL = '/v1/nodejs/execute';
const SESSIONS = '/v1/nodejs/sessions';

async function run(daemon: TestApp, code: string, more: object = {}) {
  const answer = await daemon.post(URL, { code, ...more });
  expect([answer.statusCode, answer.body.slice(0, answer.statusCode === 200 ? 0 : 500)]).toEqual([200, '']);
  expectValid('Response_NodeJSExecuteResponse_', answer.json());
  return answer.json().data;
}

test('[nodejs-field.answer] [nodejs-field.stdin] answers have the fields of 1.x', async () => {
  await using daemon = await TestApp.start();
  const done = await run(daemon, 'console.log("a"); require("fs").readFileSync(0, "utf8")', { stdin: 'ignored' });
  expect(done).toMatchObject({ language: 'javascript', status: 'ok', exit_code: 0, stdout: 'a\n', session_id: null });
  expect(done.code).toContain('console.log');
  expect(done.outputs.map((output: { output_type: string }) => output.output_type)).toEqual([
    'stream',
    'execute_result',
  ]);
  expect(done.outputs[1].data['text/plain']).toBe("''");
  expect(await run(daemon, 'throw new Error("x")')).toMatchObject({ status: 'error', exit_code: 1 });
  expect(await run(daemon, 'process.exit(3)')).toMatchObject({ status: 'error', exit_code: 3 });
  const late = await run(daemon, 'setInterval(() => {}, 9)', { timeout: 1 });
  expect(late).toMatchObject({ status: 'timeout' });
  expect(Number.isInteger(late.exit_code)).toBe(true);
  for (const timeout of [0, 301]) expect((await daemon.post(URL, { code: '1', timeout })).statusCode).toBe(422);
});

test('[nodejs-field.stateful] [nodejs-field.session-id] a session keeps bindings, a script nothing', async () => {
  await using daemon = await TestApp.start();
  expect((await run(daemon, 'let x = 1; await 0', { session_id: 'r' })).session_id).toBe('r');
  expect((await run(daemon, 'x', { session_id: 'r' })).outputs[0].data['text/plain']).toBe('1');
  const made = await run(daemon, 'x', { stateful: true });
  expect(made).toMatchObject({ status: 'error', session_id: expect.any(String) });
  const script = await run(daemon, 'require("fs").writeFileSync("left", ""); process.cwd()');
  const directory = script.outputs[0].data['text/plain'].slice(1, -1);
  expect(directory).toMatch(/^\//);
  await expect.poll(() => existsSync(directory)).toBe(false);
  expect((await run(daemon, 'require("fs").readdirSync(".").length')).outputs[0].data['text/plain']).toBe('0');
});

test('[nodejs-field.files] files are where the script runs, and no name leads out of there', async () => {
  await using daemon = await TestApp.start();
  await using place = await tempDir();
  const files = { 'a.json': '{"k": "é"}', 'lib/b.js': 'module.exports = 2' };
  const code = 'JSON.stringify([require("./a.json").k, require("./lib/b.js")])';
  expect((await run(daemon, code, { files })).outputs[0].data['text/plain']).toBe(`'["é",2]'`);
  expect((await run(daemon, code, { files, session_id: 'f', cwd: place.path })).outputs[0].data['text/plain']).toBe(
    `'["é",2]'`,
  );
  for (const name of ['/etc/x', '../x', 'a/../../x', '', '.', 'a/', 'a\0b']) {
    expect([name, (await daemon.post(URL, { code: '1', files: { [name]: '' } })).statusCode]).toEqual([name, 422]);
  }
});

test('[nodejs-field.version] a version that is not there is served by the nearest', async () => {
  await using daemon = await TestApp.start();
  const { available_versions: there } = (await daemon.inject('/v1/nodejs/info')).json().data;
  expect((await run(daemon, '1', { version: there[0] })).warnings).toEqual([]);
  expect((await run(daemon, '1', { version: there[0].slice(4) })).warnings).toEqual([]);
  expect((await run(daemon, '1', { version: 'node77' })).warnings).toEqual([
    expect.stringMatching(/^node77 is not installed: node\d+ \([\d.]+\) runs the cell$/),
  ]);
});

test('[nodejs-field.create] [nodejs-field.record] [nodejs-field.sessions] sessions in the layout of 1.x', async () => {
  await using daemon = await TestApp.start();
  const begun = Date.now();
  const created = (
    await daemon.post(`${SESSIONS}?version=22`, { session_id: 'a', cwd: '/usr', max_idle_time: 60 })
  ).json();
  expectValid('Response_NodeJSCreateSessionResponse_', created);
  const { session } = created.data;
  expect(created.data).toMatchObject({ session_id: 'a', created: true });
  expect(session).toMatchObject({ session_id: 'a', cwd: '/usr', max_idle_time: 60_000, state: 'IDLE' });
  for (const time of [session.created_at, session.last_used]) {
    expect(time).toBeGreaterThanOrEqual(begun);
    expect(time).toBeLessThanOrEqual(Date.now());
  }
  const again = (await daemon.post(SESSIONS, { session_id: 'a' })).json().data;
  expect(again).toMatchObject({ created: false, session: { cwd: '/usr' }, message: expect.stringContaining('there') });
  const other = (await daemon.post(SESSIONS)).json().data;
  expect(other.session.max_idle_time).toBe(86_400_000);
  for (const max_idle_time of [59, 86_401]) {
    expect((await daemon.post(SESSIONS, { max_idle_time })).statusCode).toBe(422);
  }
  expect(session.age_seconds).toBeLessThanOrEqual((Date.now() - begun) / 1000);
  const running = run(daemon, 'await new Promise(() => {})', { session_id: 'a', timeout: 60 });
  const state = async () => (await daemon.inject(`${SESSIONS}/a`)).json().data.session.state;
  await expect.poll(state, { timeout: 30_000 }).toBe('EXECUTING');
  await daemon.post('/v2/code/sessions/a/interrupt');
  expect(await running).toMatchObject({ status: 'error', exit_code: 1 });
  const list = (await daemon.inject(SESSIONS)).json();
  expectValid('Response_NodeJSSessionListResponse_', list);
  expect(Object.keys(list.data.sessions).sort()).toEqual(['a', other.session_id].sort());
  expectValid('Response_NodeJSSessionResponse_', (await daemon.inject(`${SESSIONS}/a?version=node20`)).json());
  const deleted = (await daemon.inject({ method: 'DELETE', url: `${SESSIONS}/a` })).json();
  expectValid('Response_NodeJSDeleteSessionResponse_', deleted);
  expect(deleted.data).toEqual({ deleted: true });
  for (const method of ['GET', 'DELETE', 'PATCH'] as const) {
    expect(
      (await daemon.inject({ method, url: `${SESSIONS}/a`, ...(method === 'PATCH' && { payload: {} }) })).statusCode,
    ).toBe(404);
  }
  expect((await daemon.inject({ method: 'PUT', url: `${SESSIONS}/a` })).headers['allow']).toBe('DELETE, GET, HEAD');
});

test('[nodejs-field.info] info describes the Node', async () => {
  await using daemon = await TestApp.start();
  const answer = (await daemon.inject('/v1/nodejs/info')).json();
  expectValid('Response_NodeJSRuntimeInfo_', answer);
  const version = (await daemon.run('node --version')).stdout.trim();
  const major = `node${Number.parseInt(version.slice(1), 10)}`;
  expect(answer.data).toMatchObject({
    node_version: version,
    current_version: major,
    version: major,
    supported_languages: ['javascript'],
    error: null,
  });
  expect(answer.data.available_versions).toContain(major);
});
