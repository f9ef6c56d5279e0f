import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import {
  pageOf,
  pdfOf,
  slidesOf,
  workbookOf,
} from '../../daemon/src/capabilities/files/documents/documents.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client is generated when the tests run.
type Client = any;

async function bash(client: Client): Promise<void> {
  const first = (await client.postBashExec({ command: 'echo out; exit 3', session_id: null })).data;
  expect(first).toMatchObject({ status: 'completed', stdout: 'out\n', exit_code: 3 });
  const { session_id } = (await client.postBashSessionsCreate({ exec_dir: '/usr' })).data;
  const env = await client.postBashExec({ session_id, command: 'echo $A$PWD', env: { A: '1' } });
  expect(env.data.stdout).toBe('1/usr\n');
  expect((await client.postBashExec({ session_id, command: 'echo $A$PWD' })).data.stdout).toBe('/usr\n');
  await client.postBashExec({ session_id, command: 'read -r x; echo got $x', async_mode: true });
  await client.postBashWrite({ session_id, input: 'it\n' });
  expect(await followed(client, session_id)).toEqual(['got it\n', 0]);
  await client.postBashExec({ session_id, command: 'sleep 600', async_mode: true });
  await client.postBashKill({ session_id, signal: 'SIGKILL' });
  expect((await client.postBashOutput({ session_id, wait: true })).data.command.status).toBe('killed');
  const sessions: { session_id: string }[] = (await client.getBashSessions()).data;
  expect(sessions.map((session) => session.session_id)).toContain(session_id);
  await client.postBashSessionsSessionIdClose(session_id, {});
}

/** The output of the newest command of a session and its exit code, at its end. */
async function followed(client: Client, session_id: string, offset = 0, before = ''): Promise<[string, number]> {
  const { data } = await client.postBashOutput({ session_id, offset, wait: true });
  const text = before + data.stdout;
  if (data.command.status !== 'running') return [text, data.command.exit_code];
  return followed(client, session_id, data.offset, text);
}

async function shell(client: Client): Promise<void> {
  const { session_id: id } = (await client.postShellSessionsCreate({ exec_dir: '/usr' })).data;
  const first = (await client.postShellExec({ id, command: 'export A=1; cd /tmp; echo hi' })).data;
  expect(first).toMatchObject({ status: 'completed', output: 'hi\n', exit_code: 0 });
  expect((await client.postShellExec({ id, command: 'echo $A; pwd' })).data.output).toBe('1\n/tmp\n');
  await client.postShellExec({ id, command: 'read -r x; echo got $x', async_mode: true });
  await client.postShellWrite({ id, input: 'it', press_enter: true });
  expect((await client.postShellWait({ id, seconds: 60 })).data.status).toBe('completed');
  expect((await client.postShellView({ id })).data).toMatchObject({ exit_code: 0, command: 'read -r x; echo got $x' });
  await client.postShellExec({ id, command: 'sleep 600', async_mode: true });
  expect((await client.postShellKill({ id })).data).toMatchObject({ status: 'terminated', returncode: null });
  await client.postShellSessionsUpdate({ id, no_change_timeout: 60 });
  expect(Object.keys((await client.getShellSessions()).data.sessions)).toContain(id);
  expect((await client.getShellSessionsStats()).data.active_sessions).toBeGreaterThan(0);
  const page = new URL((await client.getShellTerminalUrl()).data);
  await client.deleteShellSessionsSessionId(page.searchParams.get('session') ?? '');
  await client.deleteShellSessionsSessionId(id);
}

async function jupyter(client: Client): Promise<void> {
  const { session_id } = (await client.postJupyterSessionsCreate({ kernel_name: 'python3.12' })).data;
  const first = (await client.postJupyterExecute({ session_id, code: 'x = 40\nprint("set")' })).data;
  expect(first).toMatchObject({ status: 'ok', outputs: [{ output_type: 'stream', text: 'set\n' }] });
  const value = (await client.postJupyterExecute({ session_id, code: 'x + 2', timeout: 60 })).data;
  expect(value.outputs[0].data).toEqual({ 'text/plain': '42' });
  expect((await client.getJupyterInfo()).data.available_kernels).toContain('python3');
  expect(Object.keys((await client.getJupyterSessions()).data.sessions)).toContain(session_id);
  await client.deleteJupyterSessionsSessionId(session_id);
}

async function files(client: Client, directory: string): Promise<void> {
  const file = `${directory}/notes/one.txt`;
  expect((await client.postFileWrite({ file, content: 'one\ntwo\nthree\n' })).data.bytes_written).toBe(14);
  expect((await client.postFileRead({ file, start_line: 0, end_line: 2 })).data.content).toBe('one\ntwo');
  expect((await client.postFileReplace({ file, old_str: 'two', new_str: '2' })).data.replaced_count).toBe(1);
  const found = (await client.postFileSearch({ file, regex: 'th.*' })).data;
  expect([found.matches, found.line_numbers]).toEqual([['three'], [2]]);
  expect((await client.postFileFind({ path: `${directory}/notes`, glob: 'one.txt' })).data.files).toEqual([file]);
  expect((await client.postFileGrep({ path: directory, pattern: 'three' })).data.match_count).toBe(1);
  expect((await client.postFileList({ path: `${directory}/notes` })).data.file_count).toBe(1);
  expect((await client.postFileGlob({ path: directory, pattern: '**/*' })).data.total_count).toBe(1);
  const edit = { path: `${directory}/edited` };
  await client.postFileStrReplaceEditor({ ...edit, command: 'create', file_text: 'a\n' });
  await client.postFileStrReplaceEditor({ ...edit, command: 'str_replace', old_str: 'a', new_str: 'b' });
  const undone = await client.postFileStrReplaceEditor({ ...edit, command: 'undo_edit' });
  expect(undone.data.new_content).toBe('a\n');
  const missing = await client.postFileRead({ file: `${directory}/none` });
  expect(missing).toMatchObject({ success: false, data: { error_type: 'not_found' } });
}

async function documents(client: Client, directory: string): Promise<void> {
  const rows = [['cell of a sheet']];
  for (const [name, bytes, text] of [
    ['f.pdf', pdfOf([pageOf('text of a page')]), 'text of a page'],
    ['f.xlsx', workbookOf({ First: rows }), 'cell of a sheet'],
    ['f.pptx', slidesOf([['text of a slide']]), 'text of a slide'],
  ] as const) {
    const path = `${directory}/${name}`;
    await client.postFileWrite({ file: path, content: bytes.toString('base64'), encoding: 'base64' });
    const viewed = await client.postFileStrReplaceEditor({ path, command: 'view', enable_metadata: true });
    expect(viewed).toMatchObject({ success: true, data: { output: expect.stringContaining(text) } });
    expect(viewed.data.metadata).not.toBeNull();
  }
}

async function subAgent(client: Client, directory: string, number: number): Promise<void> {
  const work = `${directory}/agent-${number}`;
  const cloned = (await client.postBashExec({ command: `git clone -q ${directory}/origin ${work}` })).data;
  expect(cloned).toMatchObject({ status: 'completed', exit_code: 0, stderr: '' });
  const { matches } = (await client.postFileGrep({ path: work, pattern: 'hello' })).data;
  expect(matches).toMatchObject([{ file: `${work}/greet.sh` }]);
  const path = `${work}/greet.sh`;
  await client.postFileStrReplaceEditor({ command: 'str_replace', path, old_str: 'hello', new_str: 'good day' });
  const built = await client.postShellExec({ command: 'sh -n greet.sh && echo built', exec_dir: work });
  expect(built.data).toMatchObject({ status: 'completed', output: 'built\n', exit_code: 0 });
  const { session_id } = (await client.postBashExec({ command: 'sh test.sh', exec_dir: work, async_mode: true })).data;
  expect(await followed(client, session_id)).toEqual(['test 1\ntest 2\ntest 3\n', 0]);
}

const REPOSITORY = `set -e
mkdir origin && cd origin
git init -q . && git config user.email agent@example.com && git config user.name agent
printf 'greet() { echo "hello $1"; }\\n' > greet.sh
printf '. ./greet.sh\\nfor i in 1 2 3; do sleep 0.1; echo "test $i"; done\\n[ "$(greet you)" = "good day you" ]\\n' > test.sh
git add . && git commit -qm first`;

/** Drives the landed routes with a generated client, then as `callers` agents at once. */
async function context(client: Client): Promise<void> {
  const home = (await client.postBashExec({ command: 'echo ~' })).data.stdout.trim();
  expect(await client.getSandbox()).toMatchObject({ home_dir: home, data: expect.stringContaining(home) });
  expect((await client.getSandboxPackagesPython()).data).toMatch(/^- .+==/m);
  expect((await client.getSandboxPackagesNodejs()).success).toBe(true);
}

async function code(client: Client): Promise<void> {
  for (const language of ['javascript', 'python']) {
    const ran = (await client.postCodeExecute({ language, code: '1 + 1' })).data;
    expect(ran).toMatchObject({ language, status: 'ok', code: '1 + 1' });
  }
  const stateful = true;
  const { session_id } = (await client.postCodeExecute({ language: 'javascript', code: 'let x = 1', stateful })).data;
  const again = { language: 'javascript', code: 'console.log(x)', stateful, session_id };
  expect((await client.postCodeExecute(again)).data).toMatchObject({ stdout: '1\n', exit_code: 0 });
  expect((await client.getCodeInfo()).data.languages).toHaveLength(2);
}

async function nodejs(client: Client): Promise<void> {
  const script = { code: "console.log(require('./a.json').k)", files: { 'a.json': '{"k": 1}' } };
  expect((await client.postNodejsExecute(script)).data).toMatchObject({ status: 'ok', stdout: '1\n', exit_code: 0 });
  const session_id = 'generated';
  expect((await client.postNodejsSessions({ session_id, max_idle_time: 60 })).data.created).toBe(true);
  await client.postNodejsExecute({ code: 'let x = 1', session_id });
  expect((await client.postNodejsExecute({ code: 'console.log(x)', session_id })).data.stdout).toBe('1\n');
  expect((await client.getNodejsSessions()).data.sessions).toHaveProperty(session_id);
  expect((await client.getNodejsSessionsSessionId(session_id)).data.session.state).toBe('IDLE');
  expect((await client.deleteNodejsSessionsSessionId(session_id)).data.deleted).toBe(true);
  const { current_version, available_versions } = (await client.getNodejsInfo()).data;
  expect(available_versions).toContain(current_version);
}

async function browser(client: Client): Promise<void> {
  const { user_agent, cdp_url, viewport } = (await client.getBrowserInfo()).data;
  expect([user_agent, cdp_url]).toEqual([expect.stringContaining('Chrome/'), expect.stringMatching(/^ws/)]);
  expect(viewport.width).toBeGreaterThan(0);
  const { id } = (await client.postBrowserTabs({ url: 'data:text/html,<textarea autofocus></textarea>' })).data;
  expect((await client.getBrowserTabs()).data).toContainEqual(expect.objectContaining({ id, active: true }));
  for (const action of [
    { action_type: 'MOVE_TO', x: 30, y: 20 },
    { action_type: 'CLICK', num_clicks: 1 },
    { action_type: 'TYPING', text: 'typed' },
    { action_type: 'HOTKEY', keys: ['ctrl', 'a'] },
  ]) {
    const said = { success: true, status: 'success', action_performed: action.action_type };
    expect(await client.postBrowserActions(action)).toMatchObject(said);
  }
  expect((await client.postBrowserConfig({ resolution: null })).success).toBe(true);
  await client.postBrowserCookies({ cookies: [{ name: 'ts', value: '1', domain: '.example.com', path: '/' }] });
  expect((await client.getBrowserCookies()).data).toContainEqual(expect.objectContaining({ name: 'ts' }));
  expect((await client.deleteBrowserCookies()).success).toBe(true);
  expect(Array.isArray((await client.getBrowserNetworkRequests()).data)).toBe(true);
}

async function display(client: Client): Promise<void> {
  const record = async (body: object) => (await client.postDisplayRecord(body)).data;
  const save_path = `/tmp/recorded-${randomUUID()}.mp4`;
  const start = { action: 'start', save_path, fps: 5, crf: 40, max_duration: 60, width: 320, height: 200 };
  expect(await record(start)).toMatchObject({ status: 'recording', save_path });
  const duration = async () => (await record({ action: 'status' })).duration;
  await expect.poll(duration).toBeGreaterThan(0);
  expect(await record({ action: 'stop' })).toMatchObject({ status: 'stopped', save_path });
}

/** @param hasDisplay whether the service has a worker that records its display */
export async function driveTypescript(client: Client, callers: number, hasDisplay: boolean): Promise<void> {
  await context(client);
  const directory = (await client.postBashExec({ command: 'mktemp -d' })).data.stdout.trim();
  await bash(client);
  await shell(client);
  await jupyter(client);
  await code(client);
  await nodejs(client);
  await browser(client);
  if (hasDisplay) await display(client);
  await files(client, directory);
  await documents(client, directory);
  const made = (await client.postBashExec({ command: REPOSITORY, exec_dir: directory })).data;
  expect([made.exit_code, made.stderr]).toEqual([0, '']);
  await Promise.all(Array.from({ length: callers }, (_, number) => subAgent(client, directory, number)));
  await client.postBashExec({ command: `rm -rf ${directory}` });
}
