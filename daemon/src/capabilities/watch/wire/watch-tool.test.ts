import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../../../mcp/mcp.fixture.ts';

const TOOL = 'sandbox_watch';

test('[mcp.watch] a watcher has the changes after the cursor, waits for them, and is stopped', async ({ mcp, dir }) => {
  const { watcher_id, cursor, path } = await mcp.data(TOOL, { action: 'start', path: dir, exclude: ['*.log'] });
  expect(path).toBe(dir);
  const poll = { action: 'poll', watcher_id };
  expect(await mcp.data(TOOL, { ...poll, cursor })).toEqual({ changes: [], cursor });
  const next = mcp.data(TOOL, { ...poll, cursor, timeout: 60 });
  writeFileSync(join(dir, 'a.log'), 'x');
  writeFileSync(join(dir, 'a.txt'), 'x');
  const first = await next;
  expect(first.changes).toContainEqual({ type: 'create', path: join(dir, 'a.txt'), is_dir: false });
  expect(JSON.stringify(first)).not.toContain('a.log');
  rmSync(join(dir, 'a.txt'));
  const types = async () => (await mcp.data(TOOL, { ...poll, cursor: first.cursor })).changes;
  await expect.poll(types).toContainEqual({ type: 'remove', path: join(dir, 'a.txt'), is_dir: false });
  expect((await mcp.data(TOOL, { action: 'list' })).watchers).toEqual([expect.objectContaining({ watcher_id })]);
  expect(await mcp.data(TOOL, { action: 'stop', watcher_id })).toEqual({ watcher_id, subscribers: 0 });
  for (const [args, says] of [
    [{ ...poll }, 'watcher not found'],
    [{ action: 'start' }, 'path is required'],
    [{ action: 'start', path: join(dir, 'none') }, 'none'],
    [{ action: 'poll', watcher_id, timeout: 61 }, 'timeout'],
  ] as const) {
    const { isError, content } = await mcp.call(TOOL, args);
    expect([args, isError, content[0].text]).toEqual([args, true, expect.stringContaining(says)]);
  }
});
