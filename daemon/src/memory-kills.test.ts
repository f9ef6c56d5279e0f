import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApp } from './app.fixture.ts';
import { installKernels } from './capabilities/code/kernel-specs.fixture.ts';
import { TestAttachment } from './capabilities/commands/attach/attach.fixture.ts';
import { linesOf } from './capabilities/commands/output.fixture.ts';
import { hasKeeper } from './hosts.fixture.ts';
import { keeperInGroup, MemoryGroup } from './memory-group.fixture.ts';

const MB = 1_000_000;
/** tail keeps all of a line in memory until its input ends; the shell goes on when it is killed. */
const HOG = 'head -c 900000000 /dev/zero | tail | wc -c';
const NOTE = 'a process was killed by the memory limit (tail)';
const TOLD = { oom_killed: true, oom_process: 'tail' };
const PATIENCE_MS = 120_000;

/** The fields of answers that the tests read. */
interface Answer {
  readonly message: string;
  readonly data: {
    readonly command_id: string;
    readonly session_id: string;
    readonly status: string;
    readonly exit_code: number | null;
    readonly warnings: readonly string[];
  };
  readonly result: { readonly content: readonly [{ readonly text: string }] };
}

const canLimit = ((): boolean => {
  using group = hasKeeper ? MemoryGroup.make(`svc-probe-${process.pid}`, 64 * MB) : undefined;
  return group !== undefined;
})();

describe.runIf(canLimit)('a process of a living shell that the memory limit killed', { timeout: PATIENCE_MS }, () => {
  const resources = new AsyncDisposableStack();
  let daemon: TestApp;
  let base: string;
  const post = async (url: string, body: object): Promise<Answer> => (await daemon.post(url, body)).json();

  beforeAll(async () => {
    const group = MemoryGroup.make(`svc-kills-${process.pid}`, 256 * MB);
    if (group === undefined) throw new Error('no memory limit can be set here');
    resources.use(group);
    const directory = mkdtempSync(join(tmpdir(), 'sandboxd-kills-'));
    resources.defer(() => rmSync(directory, { recursive: true, force: true }));
    const keeper = await keeperInGroup(group, directory);
    resources.defer(async () => {
      const exited = once(keeper, 'exit');
      keeper.kill('SIGTERM');
      await exited;
    });
    resources.use(await installKernels({ hungry: ['/bin/sh', '-c', 'exec tail </dev/zero'] }));
    daemon = resources.use(await TestApp.start({ processHost: 'supervised' }, directory));
    base = (await daemon.listen()).replace('http', 'ws');
  }, PATIENCE_MS);
  afterAll(() => resources.disposeAsync());

  test('[end.memory-child] commands: record, stream, attachment and message name it', async () => {
    const beside = await daemon.run('read line', { mode: 'async' });
    const answer = await post('/v2/commands', { command: `${HOG}; exit 3`, timeout: 60 });
    expect(answer.data).toMatchObject({ status: 'completed', exit_code: 3, usage: TOLD });
    expect(answer.message).toBe(`the command completed with exit code 3; ${NOTE}`);
    const { body } = await daemon.post('/v2/commands', { command: HOG }, { accept: 'application/x-ndjson' });
    expect(linesOf(body).at(-1)).toMatchObject({ type: 'exit', exit_code: 0, ...TOLD });
    await using client = new TestAttachment(base, answer.data.command_id);
    await client.closed;
    expect(client.controls.at(-1)).toMatchObject({ type: 'exit', exit_code: 3, signal: null, ...TOLD });
    const main = await daemon.run('exec tail < /dev/zero');
    expect(main).toMatchObject({ status: 'killed', signal: 'SIGKILL', exit_code: -1, usage: TOLD });
    const escaped = await daemon.run(`setsid sh -c '${HOG}'; (setsid sh -c 'exit 0'); exit 0`);
    expect(escaped).toMatchObject({ exit_code: 0, usage: TOLD });
    await daemon.post(`/v2/commands/${beside.command_id}/stdin`, { input: '\n' });
    const { data } = (await daemon.inject(`/v2/commands/${beside.command_id}?wait=true`)).json();
    expect(data.command.usage).toMatchObject({ oom_killed: false, oom_process: null });
  });

  test('[end.memory-child] two commands at once: no one names that of the other', async () => {
    const hog = (name: string) =>
      `cp /usr/bin/tail /tmp/${name} && head -c 900000000 /dev/zero | /tmp/${name} >/dev/null`;
    const both = await Promise.all(['hog-one', 'hog-two'].map((name) => daemon.run(`${hog(name)}; rm /tmp/${name}`)));
    const told = both.map(({ usage }) => usage?.oom_process);
    expect([
      ['hog-one', 'hog-two'],
      ['hog-one', null],
      [null, 'hog-two'],
    ]).toContainEqual(told);
  });

  test('[end.memory-child] 1.x: the message of shell and bash names it', async () => {
    await post('/v1/shell/sessions/create', { id: 'one' });
    const shell = await post('/v1/shell/exec', { id: 'one', command: `${HOG}; (exit 4)` });
    expect([shell.data.exit_code, shell.message]).toEqual([4, `command completed; ${NOTE}`]);
    expect(shell.data).not.toHaveProperty('oom_killed');
    const waited = await post('/v1/shell/wait', { id: 'one' });
    expect(waited.message).toContain(NOTE);
    expect((await post('/v1/shell/view', { id: 'one' })).message).toContain(NOTE);
    expect((await post('/v1/shell/exec', { id: 'one', command: 'true' })).message).toBe('command completed');
    const bash = await post('/v1/bash/exec', { command: `${HOG}; exit 5`, timeout: 60 });
    expect([bash.data.exit_code, bash.message]).toEqual([5, `the command completed with exit code 5; ${NOTE}`]);
    const { session_id, command_id } = bash.data;
    expect((await post('/v1/bash/output', { session_id, command_id })).message).toContain(NOTE);
  });

  test('[end.memory-child] terminals: the answer of exec, and the end of the session', async () => {
    await post('/v2/pty/sessions', { id: 't' });
    const answer = await post('/v2/pty/sessions/t/exec', { command: `${HOG}; (exit 6)` });
    expect(answer.data).toMatchObject({ status: 'completed', exit_code: 6, signal: null, ...TOLD });
    expect(answer.message).toBe(`command completed; ${NOTE}`);
    const next = await post('/v2/pty/sessions/t/exec', { command: 'true' });
    expect(next.data).toMatchObject({ exit_code: 0, signal: null, oom_killed: null, oom_process: null });
    await post('/v2/pty/sessions/t/exec', { command: 'exec tail < /dev/zero' });
    await post('/v2/pty/sessions', { id: 'u', command: 'sh', args: ['-c', 'exec tail < /dev/zero'] });
    const ended = async (): Promise<Answer['data']> => (await daemon.inject('/v2/pty/sessions/u')).json().data;
    await expect.poll(async () => (await ended()).status, { timeout: PATIENCE_MS }).toBe('exited');
    expect(await ended()).toMatchObject({ exit_code: -1, signal: 'SIGKILL', ...TOLD });
  });

  test('[end.memory-child] cells: a program of the cell, and the interpreter itself', async () => {
    const cell = async (language: string, code: string): Promise<Answer> =>
      post('/v2/code/execute', { language, code, timeout: 60 });
    const bash = await cell('bash', `${HOG}; (exit 7)`);
    expect(bash.data).toMatchObject({ exit_code: 7, ...TOLD, warnings: [NOTE] });
    const script = JSON.stringify(HOG);
    const node = await cell('javascript', `require('node:child_process').execSync(${script}).toString()`);
    expect(node.data).toMatchObject({ status: 'ok', ...TOLD, warnings: [NOTE] });
    const python = await cell('python', `import subprocess\nprint(subprocess.run(${script}, shell=True).returncode)`);
    expect(python.data).toMatchObject({ status: 'ok', stdout: '0\n0\n', ...TOLD, warnings: [NOTE] });
    expect((await cell('javascript', '1')).data).toMatchObject({ oom_killed: null, oom_process: null, warnings: [] });
    const died = await cell('python', 'pieces = []\nwhile True: pieces.append(bytearray(16 << 20))');
    expect(died.data).toMatchObject({ status: 'error', signal: 'SIGKILL', exit_code: -1, oom_killed: true });
    expect(died.message).toMatch(
      /ended by SIGKILL while the cell ran; a process was killed by the memory limit \(python/,
    );
    const v1 = await post('/v1/code/execute', { language: 'python', code: `import os; os.system(${script})` });
    expect([v1.data.warnings, v1.message]).toEqual([[NOTE], `the cell ended; ${NOTE}`]);
    const nodejs = await post('/v1/nodejs/execute', { code: `require('node:child_process').execSync(${script})` });
    expect([nodejs.data.warnings, nodejs.message]).toEqual([[NOTE], `the cell ended; ${NOTE}`]);
  });

  test('[end.memory-child] cells: an interpreter that does not start, in each place that starts one', async () => {
    const died = `the kernel hungry does not start: it was ended by SIGKILL; ${NOTE}`;
    const refused = { success: false, message: died, hint: expect.stringContaining('more memory') };
    const hungry = { code: '1', kernel_name: 'hungry' };
    expect(await post('/v2/code/execute', { ...hungry, language: 'python' })).toMatchObject(refused);
    expect(await post('/v2/code/sessions', { language: 'python', kernel_name: 'hungry' })).toMatchObject(refused);
    expect(await post('/v1/jupyter/execute', hungry)).toMatchObject(refused);
  });

  test('[end.memory-child] MCP: the text of bash and code', async () => {
    const call = async (name: string, args: object): Promise<string> => {
      const params = { name, arguments: args };
      const { result } = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      return result.content[0].text;
    };
    expect(await call('sandbox_execute_bash', { cmd: HOG, timeout: 60 })).toContain(`[${NOTE}]`);
    const ended = await call('sandbox_execute_bash', { cmd: 'echo out; exec tail < /dev/zero', timeout: 60 });
    expect(ended).toContain('[the command was ended by SIGKILL]');
    expect(ended).toContain(`[${NOTE}]`);
    const code = `import os; os.system(${JSON.stringify(HOG)})`;
    expect(await call('sandbox_execute_code', { code, timeout: 60 })).toContain(`note: ${NOTE}`);
  });
});
