import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { McpCaller } from '../../../mcp/mcp.fixture.ts';

const TOOL = 'sandbox_terminal';
const session_id = 'work';

describe('[mcp.terminal] sandbox_terminal', () => {
  let mcp: McpCaller;
  beforeAll(async () => {
    mcp = await McpCaller.start();
  });
  afterAll(() => mcp[Symbol.asyncDispose]());

  /** The screen once it shows the text. */
  const shown = async (text: string) => {
    const look = async () => (await mcp.data(TOOL, { action: 'screen', session_id })).output;
    await expect.poll(look, { timeout: 60_000 }).toContain(text);
  };

  test('a session keeps its variables, shows programs that wait for input, and is closed', async () => {
    const opened = await mcp.data(TOOL, { action: 'open', session_id, cwd: '/', cols: 100 });
    expect(opened).toEqual({ session_id, working_dir: '/' });
    const exec = { action: 'exec', session_id, timeout: 60 };
    expect(await mcp.data(TOOL, { ...exec, command: 'x=41; cd /tmp' })).toMatchObject({
      status: 'completed',
      exit_code: 0,
    });
    expect((await mcp.data(TOOL, { ...exec, command: 'echo $((x + 1)) $PWD; false' })).output).toContain('42 /tmp');
    const waiting = await mcp.data(TOOL, { ...exec, command: 'read -r -p "sure? " a; echo "<$a>"', timeout: 0.2 });
    expect(waiting).toMatchObject({ status: 'running', exit_code: null, hint: expect.stringContaining('screen') });
    await shown('sure?');
    await mcp.data(TOOL, { action: 'input', session_id, input: 'yes', press_enter: true });
    await shown('<yes>');
    await mcp.data(TOOL, { ...exec, command: 'cat', timeout: 0.2 });
    await mcp.data(TOOL, { action: 'input', session_id, input: '\u0003' });
    expect((await mcp.data(TOOL, { ...exec, command: 'echo after' })).output).toContain('after');
    const ended = await mcp.data(TOOL, { ...exec, command: 'sleep 1000', hard_timeout: 0.3 });
    expect(ended.status).toBe('hard_timeout');
    const { sessions } = await mcp.data(TOOL, { action: 'list' });
    expect(sessions).toEqual([expect.objectContaining({ session_id, cols: 100 })]);
    expect(await mcp.data(TOOL, { action: 'close', session_id })).toEqual({ session_id, closed: true });
    expect(await mcp.data(TOOL, { action: 'list' })).not.toMatchObject({ sessions: [{ status: 'idle' }] });
  });

  test('[mcp.progress] exec reports its output', async () => {
    await mcp.data(TOOL, { action: 'open', session_id: 'told' });
    const args = { action: 'exec', session_id: 'told', command: 'echo one; sleep 1; echo two', timeout: 60 };
    const params = { name: TOOL, arguments: args, _meta: { progressToken: 1 } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { text } = await mcp.post(message, { accept: 'application/json, text/event-stream' });
    const events = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
    const told = events.slice(0, -1).map((event) => event.params.message);
    expect(told.join('')).toMatch(/one\n/);
  });

  test('[mcp.refused] wrong input names the field', async () => {
    await mcp.data(TOOL, { action: 'open', session_id: 'wrong' });
    for (const [args, says] of [
      [{}, 'action'],
      [{ action: 'exec', command: 'true' }, 'session_id is required'],
      [{ action: 'exec', session_id: 'wrong' }, 'command is required'],
      [{ action: 'exec', session_id: 'wrong', command: 'true', timeout: -1 }, 'timeout'],
      [{ action: 'input', session_id: 'wrong' }, 'input is required'],
      [{ action: 'screen', session_id: 'none' }, 'none'],
      [{ action: 'screen', session_id: 'wrong', timeout: 61 }, 'timeout'],
      [{ action: 'open', session_id: 'wrong' }, 'exists already'],
      [{ action: 'open', cwd: '/no/such' }, 'cwd'],
      [{ action: 'open', cols: 0 }, 'cols'],
      [{ action: 'close', session_id: 'none' }, 'none'],
    ] as const) {
      const { isError, content } = await mcp.call(TOOL, args);
      expect([args, isError, content[0].text]).toEqual([args, true, expect.stringContaining(says)]);
    }
  });
});
