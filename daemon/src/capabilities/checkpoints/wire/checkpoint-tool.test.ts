import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { hasKeeper } from '../../../hosts.fixture.ts';
import { test } from '../../../mcp/mcp.fixture.ts';

const TOOL = 'sandbox_checkpoint';

describe.runIf(hasKeeper)('checkpoints', () => {
  test('[mcp.checkpoint] an agent breaks a project, sees the difference and restores it', async ({ mcp, dir }) => {
    writeFileSync(join(dir, 'main.py'), 'print(1)\n');
    const { checkpoint_id } = await mcp.data(TOOL, { action: 'create', path: dir, label: 'works' });
    const broken = { command: `cd ${dir} && echo broken > main.py && echo x > extra` };
    await mcp.data('sandbox_execute_bash', { cmd: broken.command });
    const { changes } = await mcp.data(TOOL, { action: 'diff', checkpoint_id });
    expect(changes).toEqual([
      { type: 'added', path: 'extra' },
      { type: 'modified', path: 'main.py' },
    ]);
    expect(await mcp.data(TOOL, { action: 'read', checkpoint_id, path: 'main.py' })).toEqual({
      content: 'print(1)\n',
      size: 9,
    });
    const restored = await mcp.data(TOOL, { action: 'restore', checkpoint_id, delete_new: true });
    expect(restored).toMatchObject({ not_restored_count: 0, checkpoint_before: expect.stringMatching(/^cp-/) });
    expect(readFileSync(join(dir, 'main.py'), 'utf8')).toBe('print(1)\n');
    expect(existsSync(join(dir, 'extra'))).toBe(false);
    const { total_count } = await mcp.data(TOOL, { action: 'list' });
    expect(total_count).toBe(2);
    await mcp.data(TOOL, { action: 'delete', checkpoint_id });
    for (const [args, says] of [
      [{ action: 'diff', checkpoint_id }, 'checkpoint not found'],
      [{ action: 'restore' }, 'checkpoint_id is required'],
      [{ action: 'create', path: join(dir, 'none') }, 'none'],
    ] as const) {
      const { isError, content } = await mcp.call(TOOL, args);
      expect([args, isError, content[0].text]).toEqual([args, true, expect.stringContaining(says)]);
    }
    rmSync(join(dir, 'main.py'));
  });
});
