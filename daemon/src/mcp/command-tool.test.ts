import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { McpCaller, test } from './mcp.fixture.ts';

const BASH = 'sandbox_execute_bash';
const COMMAND = 'sandbox_command';
const MIB = 1024 ** 2;

/** A command that was started by MCP and runs on. */
async function started(mcp: McpCaller, cmd: string, more: object = {}): Promise<string> {
  return (await mcp.data(BASH, { cmd, timeout: 0, open_stdin: true, ...more })).command_id;
}

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The text of a result that must be an error. */
async function refusal(mcp: McpCaller, args: object): Promise<string> {
  const { isError, content } = await mcp.call(COMMAND, args);
  expect([args, isError]).toEqual([args, true]);
  return content[0].text;
}

describe('[mcp.command] sandbox_command', () => {
  test('reads on, feeds and ends what sandbox_execute_bash started', async ({ mcp }) => {
    const command_id = await started(mcp, 'echo ready; while read -r line; do echo "got $line"; done; sleep 1000');
    const first = await mcp.data(COMMAND, { action: 'output', command_id, timeout: 60 });
    expect(first).toMatchObject({ status: 'running', stdout: 'ready\n', offset: 6, exit_code: null });
    expect(first.hint).toContain('runs on');
    const fed = await mcp.data(COMMAND, { action: 'input', command_id, input: 'one\n' });
    expect(fed).toEqual({ command_id, bytes_written: 4, stdin_bytes: 4, eof: false });
    const next = { action: 'output', command_id, timeout: 60 };
    expect(await mcp.data(COMMAND, { ...next, offset: first.offset })).toMatchObject({ stdout: 'got one\n' });
    expect(await mcp.data(COMMAND, { action: 'input', command_id, eof: true })).toMatchObject({ eof: true });
    const killed = await mcp.data(COMMAND, { action: 'kill', command_id, signal: 'INT' });
    expect(killed).toMatchObject({ signal: 'SIGINT' });
    expect(killed.processes).toBeGreaterThan(0);
    await mcp.data(COMMAND, { action: 'kill', command_id, signal: '9' });
    const end = await mcp.data(COMMAND, { action: 'wait', command_id, offset: 6, timeout: 60 });
    expect(end).toMatchObject({ status: 'killed', stdout: 'got one\n' });
    expect(end.hint).toBeUndefined();
  });

  test('wait answers at its timeout, and at the end of the command', async ({ mcp, dir }) => {
    const command_id = await started(mcp, `read -r; echo out; echo err >&2; exit 3`, { cwd: dir });
    expect(await mcp.data(COMMAND, { action: 'wait', command_id, timeout: 0.05 })).toMatchObject({ status: 'running' });
    const ended = mcp.data(COMMAND, { action: 'wait', command_id, timeout: 120 });
    await mcp.data(COMMAND, { action: 'input', command_id, input: '\n' });
    expect(await ended).toMatchObject({ status: 'completed', exit_code: 3, stdout: 'out\n', stderr: 'err\n' });
  });

  test('list names commands newest first, with the beginning of their text', async () => {
    await using mcp = await McpCaller.start();
    const ids: string[] = [];
    for (const at of [1, 2, 3]) ids.unshift(await started(mcp, `read -r # ${at}${'x'.repeat(MIB / 16)}`));
    const { commands, hint } = await mcp.data(COMMAND, { action: 'list', max_results: 2 });
    expect(commands.map(({ command_id }: { command_id: string }) => command_id)).toEqual(ids.slice(0, 2));
    expect(commands[0].command).toHaveLength(200);
    expect(hint).toContain(`before ${ids[1]}`);
    const next = await mcp.data(COMMAND, { action: 'list', max_results: 2, before: ids[1] });
    expect(next.commands.map(({ command_id }: { command_id: string }) => command_id)).toEqual(ids.slice(2));
    expect(next.hint).toBeUndefined();
    expect(await mcp.data(COMMAND, { action: 'list', status: 'completed' })).toEqual({ commands: [] });
  });

  test('[mcp.command-bounded] huge output comes in pieces that join, and an offset beyond it is its end', async ({
    mcp,
  }) => {
    const { command_id } = await mcp.data(BASH, { cmd: `yes é | head -c ${3 * MIB}`, timeout: 60 });
    let text = '';
    for (let offset = 0; ; ) {
      const piece = await mcp.data(COMMAND, { action: 'output', command_id, offset, limit: 2 * MIB });
      text += piece.stdout;
      if (piece.offset === offset) break;
      expect(piece.offset - offset).toBeLessThanOrEqual(2 * MIB);
      offset = piece.offset;
    }
    expect(text).toBe('é\n'.repeat(MIB));
    const short = await mcp.data(COMMAND, { action: 'output', command_id });
    expect([short.offset <= 30_000, short.hint]).toEqual([true, expect.stringContaining('more output')]);
    for (const offset of [2 ** 31, 2 ** 53 - 1]) {
      const beyond = await mcp.data(COMMAND, { action: 'output', command_id, offset, stderr_offset: offset });
      expect(beyond).toMatchObject({ stdout: '', stderr: '', status: 'completed' });
    }
  });

  test('[mcp.command-refused] wrong input names the field and the next step', async ({ mcp }) => {
    const { command_id } = await mcp.data(BASH, { cmd: 'true' });
    const { command_id: fed } = await mcp.data(BASH, { cmd: 'sleep 1000', timeout: 0 });
    await mcp.data(COMMAND, { action: 'output', command_id: fed, timeout: 0.01 });
    for (const [args, text] of [
      [{}, 'action'],
      [{ action: 'stop' }, 'action'],
      ...['output', 'wait', 'input', 'kill'].map((action) => [{ action }, 'command_id is required'] as const),
      [{ action: 'output', command_id: 'none' }, 'none'],
      [{ action: 'output', command_id, offset: -1 }, 'offset'],
      [{ action: 'output', command_id, offset: 2 ** 60 }, 'offset'],
      [{ action: 'output', command_id, limit: 2 * MIB + 1 }, 'limit'],
      [{ action: 'wait', command_id, timeout: 3601 }, 'timeout'],
      [{ action: 'list', max_results: 0 }, 'max_results'],
      [{ action: 'list', status: 'gone' }, 'status'],
      [{ action: 'input', command_id }, 'input is required'],
      [{ action: 'input', command_id, input: 'x' }, 'no more input'],
      [{ action: 'input', command_id: fed, input: 'x' }, 'open_stdin'],
      [{ action: 'list', before: 'none' }, 'none'],
      [{ action: 'kill', command_id, signal: 'SIGNONE' }, 'signal'],
      [{ action: 'kill', command_id, comand_id: 'x' }, 'command_id'],
    ] as const) {
      expect([args, await refusal(mcp, args)]).toEqual([args, expect.stringContaining(text)]);
    }
  });

  test('[mcp.tool-sets] it is in the full set alone, after the built-in tools', async ({ mcp }) => {
    const list = async (set: string) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      return (await mcp.post(message, {}, `/mcp?tools=${set}`)).json.result.tools;
    };
    const [core, full] = [await list('core'), await list('full')];
    expect(core).toHaveLength(10);
    expect(full.slice(0, 10)).toEqual(core);
    expect(full[10].name).toBe(COMMAND);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: COMMAND, arguments: {} } };
    expect((await mcp.post(call, {}, '/mcp?tools=core')).json.error.code).toBe(-32602);
  });

  test('[keys.scopes] keys of all and mcp use it; those of read, view and files are refused', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'keys-'));
    const file = join(directory, 'keys');
    const scopes = { all: 'all', mcp: 'mcp', read: 'read', view: 'view', files: 'files:/tmp' };
    const lines = Object.entries(scopes).map(([name, scope]) =>
      JSON.stringify({ name, key: `key-${name}-0123456789abcdef`, scopes: [scope] }),
    );
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    await using mcp = await McpCaller.start({ SVC_ACCESS_KEYS_FILE: file });
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: COMMAND, arguments: { action: 'list' } },
    };
    for (const name of Object.keys(scopes)) {
      const { status } = await mcp.post(call, { 'x-api-key': `key-${name}-0123456789abcdef` });
      expect([name, status]).toEqual([name, name === 'all' || name === 'mcp' ? 200 : 403]);
    }
    rmSync(directory, { recursive: true });
  });
});

describe('sandbox_execute_bash', () => {
  test('[mcp.bash-timeout] past its timeout it names the calls that read, feed and end the command', async ({
    mcp,
  }) => {
    const { command_id, hint } = await mcp.data(BASH, { cmd: 'sleep 1000', timeout: 0 });
    const [, call = ''] = /sandbox_command (\{.*?\})/.exec(hint) ?? [];
    expect(JSON.parse(call)).toEqual({ action: 'wait', command_id });
    expect(hint).toMatch(/output, input and kill/);
    await mcp.call(COMMAND, { action: 'kill', command_id, signal: 'KILL' });
    expect(await mcp.data(COMMAND, { ...JSON.parse(call), timeout: 60 })).toMatchObject({ status: 'killed' });
  });

  test('[mcp.bash-hard-timeout] hard_timeout ends the command with all that it started', async ({ mcp }) => {
    const cmd = 'sleep 1000 & echo $!; setsid sleep 1000 & echo $!; while :; do sleep 0.1; done';
    const ended = await mcp.data(BASH, { cmd, timeout: 120, hard_timeout: 0.5 });
    expect(ended).toMatchObject({ status: 'timed_out' });
    const children = ended.output.split('\n').map(Number).filter(Boolean);
    expect(children).toHaveLength(2);
    await expect.poll(() => children.filter(isAlive), { timeout: 30_000 }).toEqual([]);
    for (const hard_timeout of [0, -1]) {
      const { isError, content } = await mcp.call(BASH, { cmd: 'true', hard_timeout });
      expect([isError, content[0].text]).toEqual([true, expect.stringContaining('hard_timeout')]);
    }
  });

  test('[mcp.bash] stdin is empty unless open_stdin is true', async ({ mcp }) => {
    expect(await mcp.data(BASH, { cmd: 'cat; echo end', timeout: 60 })).toMatchObject({ output: 'end\n' });
  });
});

test('[mcp.progress] wait tells of the output from the offset on, of a flood the newest', async ({ mcp }) => {
  const command_id = await started(mcp, 'yes flood | head -c 3000000; echo last; read -r');
  await mcp.data(COMMAND, { action: 'output', command_id, offset: 3_000_004, timeout: 60 });
  const toldFrom = async (offset: number): Promise<string[]> => {
    const params = { name: COMMAND, arguments: { action: 'wait', command_id, offset, timeout: 3 } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: { progressToken: 1 } } };
    const { text } = await mcp.post(message, { accept: 'application/json, text/event-stream' });
    const events = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
    return events.slice(0, -1).map((event) => event.params.message);
  };
  expect(await toldFrom(3_000_000)).toEqual(['last\n']);
  const [flood = '', ...more] = await toldFrom(0);
  expect([flood.length < 9_000, more]).toEqual([true, []]);
  expect(flood).toMatch(/^\[2991813 bytes of output left out\]\n.*flood\nlast\n$/s);
});
