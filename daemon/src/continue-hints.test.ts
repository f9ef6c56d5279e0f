import { describe, expect, test } from 'vitest';
import { TestApp } from './app.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads.
type Json = any;

const tool = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

describe('an answer about a command that still runs', () => {
  test('[cmd.continue-hint] v1 bash: the hint is a call that answers the rest', async () => {
    await using daemon = await TestApp.start();
    const command = 'echo a; read -r line < /dev/null; sleep 60';
    const answer = (await daemon.post('/v1/bash/exec', { command, timeout: 1 })).json();
    expect(answer.data).toMatchObject({ status: 'running', stdout: 'a\n' });
    const [, output, ended] =
      /POST \/v1\/bash\/output ({.*}) for .*POST \/v1\/bash\/kill ({.*}) ends/.exec(answer.hint) ?? [];
    const { session_id, command_id } = answer.data;
    expect(JSON.parse(output ?? '')).toEqual({ session_id, command_id, offset: 2, stderr_offset: 0, wait: true });
    const waited = (await daemon.post('/v1/bash/output', { ...JSON.parse(output ?? ''), wait_timeout: 0.1 })).json();
    expect([waited.data.stdout, waited.hint]).toEqual(['', answer.hint]);
    expect((await daemon.post('/v1/bash/kill', JSON.parse(ended ?? ''))).statusCode).toBe(200);
    const last = (await daemon.post('/v1/bash/output', JSON.parse(output ?? ''))).json();
    expect([last.data.command.status, last.hint]).toEqual(['killed', null]);
    expect((await daemon.post('/v1/bash/exec', { command: 'sleep 60', async_mode: true })).json().hint).toBeNull();
  });

  test('[cmd.continue-hint] MCP: the hint names commands that wait for the process and end it', async () => {
    await using daemon = await TestApp.start();
    const bash = async (args: object): Promise<Json> =>
      (await daemon.post('/mcp', tool('sandbox_execute_bash', args))).json().result.structuredContent;
    const { status, command_id, hint } = await bash({ cmd: 'sleep 60; echo no', timeout: 1 });
    expect(status).toBe('running');
    const [, name = '', args = '', kill = ''] = /(sandbox_\w+) ({.*}) has .*"(kill [^"]*)" ends it$/.exec(hint) ?? [];
    expect(await bash({ cmd: kill })).toMatchObject({ exit_code: 0 });
    const waited = (await daemon.post('/mcp', tool(name, JSON.parse(args)))).json().result.structuredContent;
    expect(waited).toMatchObject({ command_id, status: 'killed' });
    const ended = (await daemon.inject(`/v2/commands/${command_id}`)).json().data.command;
    expect(ended).toMatchObject({ status: 'killed', signal: 'SIGTERM' });
  });

  test('[cmd.continue-hint] terminals of v2: its calls show the output and end the command', async () => {
    await using daemon = await TestApp.start();
    await daemon.post('/v2/pty/sessions', { id: 't', cols: 80 });
    const exec = async (body: object): Promise<Json> => (await daemon.post('/v2/pty/sessions/t/exec', body)).json();
    const answer = await exec({ command: 'echo shown; sleep 60', timeout: 1 });
    expect(answer.data.status).toBe('running');
    const [, screen = '', signal = '', body = ''] =
      /GET (\S+) shows .* POST (\S+) ({.*}) ends it$/.exec(answer.hint) ?? [];
    expect((await daemon.inject(screen.replace(/=\d+$/, '=0'))).json().data.output).toContain('shown');
    expect((await daemon.post(signal, JSON.parse(body))).json().data.delivered).toBe(true);
    expect((await exec({ command: 'echo next' })).hint).toBeNull();
    expect((await exec({ command: 'sleep 60', no_change_timeout: 0.2 })).hint).toContain('/v2/pty/sessions/t/');
  });

  test('[cmd.continue-hint] terminals of v1: wait, view and kill continue', async () => {
    await using daemon = await TestApp.start();
    const answer = (await daemon.post('/v1/shell/exec', { command: 'sleep 60', timeout: 1 })).json();
    const [, body = ''] = /POST \/v1\/shell\/wait ({.*}) waits/.exec(answer.hint) ?? [];
    expect(JSON.parse(body)).toEqual({ id: answer.data.session_id });
    expect((await daemon.post('/v1/shell/kill', JSON.parse(body))).json().data.status).toBe('terminated');
    expect((await daemon.post('/v1/shell/wait', JSON.parse(body))).json().data.status).toBe('terminated');
    expect((await daemon.post('/v1/shell/exec', { command: 'true' })).json().hint).toBeNull();
  });
});

const LONG = { javascript: 'await new Promise((done) => setTimeout(done, 60_000))', bash: 'sleep 60' };

describe('a cell that its timeout ended', () => {
  test.each([
    ['/v2/code/execute', { language: 'javascript', code: LONG.javascript }],
    ['/v2/code/execute', { language: 'bash', code: LONG.bash }],
    ['/v1/code/execute', { language: 'javascript', code: LONG.javascript }],
    ['/v1/nodejs/execute', { code: LONG.javascript }],
  ])('[cell.timeout-hint] %s %j says in its hint how to run longer', async (url, body) => {
    await using daemon = await TestApp.start();
    const answer = (await daemon.post(url, { ...body, timeout: 1 })).json();
    expect([answer.data.status, answer.hint]).toEqual(['timeout', expect.stringContaining('longer timeout')]);
  });

  test('[cell.timeout-hint] MCP says in its text how to run longer', async () => {
    await using daemon = await TestApp.start();
    const args = { language: 'javascript', code: LONG.javascript, timeout: 1 };
    const { result } = (await daemon.post('/mcp', tool('sandbox_execute_code', args))).json();
    expect([result.isError, result.content[0].text]).toEqual([true, expect.stringContaining('sandbox_execute_bash')]);
  });
});
