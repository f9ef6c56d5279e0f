import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { McpCaller } from '../../mcp/mcp.fixture.ts';
import { PATIENCE_MS, testKernels } from './cells.fixture.ts';

const TOOL = 'sandbox_execute_code';

testKernels(
  '[code.tool] outputs as text, images as image content, an error as isError',
  async () => {
    await using mcp = await McpCaller.start();
    const code = [
      'from IPython.display import display, Image',
      'print("printed")',
      'display(Image(data=b"\\x89PNG\\r\\n\\x1a\\nrest", format="png"))',
      '6 * 7',
    ].join('\n');
    const { content, isError } = await mcp.call(TOOL, { code, language: 'python' });
    expect([content, isError]).toEqual([
      [
        { type: 'text', text: 'printed\n42\n' },
        {
          type: 'image',
          mimeType: 'image/png',
          data: Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64'),
        },
      ],
      undefined,
    ]);
    const failed = await mcp.call(TOOL, { code: '1 / 0' });
    expect(failed.isError).toBe(true);
    expect(failed.content[0].text).toMatch(/ZeroDivisionError: division by zero\n$/);
    expect((await mcp.call(TOOL, {})).isError).toBe(true);
  },
  PATIENCE_MS,
);

testKernels(
  '[mcp.cancelled] code whose client cancels the call is interrupted',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'cancelled-'));
    const [begun, over] = [join(dir, 'begun'), join(dir, 'over')];
    await using mcp = await McpCaller.start();
    const code = `import time\ntry:\n  open("${begun}", "w")\n  time.sleep(600)\nfinally:\n  open("${over}", "w")`;
    const params = { name: TOOL, arguments: { code, timeout: 600 } };
    const called = mcp.post({ jsonrpc: '2.0', id: 'cell', method: 'tools/call', params });
    await expect.poll(() => existsSync(begun)).toBe(true);
    await mcp.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'cell' } });
    expect((await called).json).toMatchObject({ id: 'cell', error: { code: -32000 } });
    await expect.poll(() => existsSync(over)).toBe(true);
    rmSync(dir, { recursive: true });
  },
  PATIENCE_MS,
);
