import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { McpCaller } from '../../../mcp/mcp.fixture.ts';

const TOOL = 'sandbox_code';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('[mcp.code-session] sandbox_code', () => {
  let mcp: McpCaller;
  beforeAll(async () => {
    mcp = await McpCaller.start();
  });
  afterAll(() => mcp[Symbol.asyncDispose]());

  const run = (args: object) => mcp.call(TOOL, { action: 'execute', timeout: 120, ...args });

  test.each(['javascript', 'python'])('a session of %s keeps its variables until it is closed', async (language) => {
    const [set, get] = language === 'python' ? ['x = 41', 'print(x + 1)'] : ['var x = 41', 'console.log(x + 1)'];
    const session_id = `kept-${language}`;
    await run({ session_id, language, code: set });
    const second = await run({ session_id, code: get });
    expect([second.isError ?? false, second.content[0].text]).toEqual([
      false,
      `42\n[session_id: ${session_id}, status: ok]`,
    ]);
    const { sessions } = await mcp.data(TOOL, { action: 'list' });
    expect(sessions).toEqual([expect.objectContaining({ session_id, language })]);
    await mcp.call(TOOL, { action: 'restart', session_id });
    expect((await run({ session_id, code: get })).isError).toBe(true);
    expect(await mcp.data(TOOL, { action: 'close', session_id })).toEqual({ session_id, closed: true });
    expect(await mcp.data(TOOL, { action: 'list' })).toEqual({ sessions: [] });
  });

  test('without session_id there is a new session, which the answer names; node is JavaScript', async () => {
    const { content } = await run({ code: 'globalThis.x = 1; console.log(typeof process)', language: 'node' });
    const [, session_id = ''] = /\[session_id: (\S+), status: ok\]$/.exec(content[0].text) ?? [];
    expect((await run({ session_id, code: 'x + 1' })).content[0].text).toMatch(/^2\n/);
    await mcp.call(TOOL, { action: 'close', session_id });
  });

  test('pictures are images, and a cell that needs too long is interrupted while its session stays', async () => {
    const session_id = 'shown';
    const code = `import base64\nfrom IPython.display import Image, display\ndisplay(Image(base64.b64decode("${PIXEL}")))`;
    const plain = `class P:\n  def _repr_png_(self):\n    import base64\n    return base64.b64decode("${PIXEL}")\nP()`;
    const answers = [await run({ session_id, language: 'py', code }), await run({ session_id, code: plain })];
    expect(answers.flatMap(({ content }) => content)).toContainEqual({
      type: 'image',
      mimeType: 'image/png',
      data: expect.stringMatching(/^iVBOR/),
    });
    const late = await run({ session_id, code: 'y = 7\nwhile True: pass', timeout: 1 });
    expect([late.isError, late.content[0].text]).toEqual([true, expect.stringContaining('status: timeout')]);
    expect((await run({ session_id, code: 'print(y)' })).content[0].text).toMatch(/^7\n/);
  });

  test('[mcp.refused] wrong input names the field and what there is', async () => {
    for (const [args, says] of [
      [{ action: 'execute' }, 'code is required'],
      [{ action: 'execute', code: '1', language: 'cobol' }, 'there is'],
      [{ action: 'execute', code: '1', timeout: 901 }, 'timeout'],
      [{ action: 'execute', code: '1', cwd: '/no/such' }, 'cwd'],
      [{ action: 'close', session_id: 'none' }, 'none'],
      [{ action: 'restart', session_id: 'none' }, 'none'],
      [{ action: 'interrupt' }, 'session_id is required'],
    ] as const) {
      const { isError, content } = await mcp.call(TOOL, args);
      expect([args, isError, content[0].text]).toEqual([args, true, expect.stringContaining(says)]);
    }
  });
});
