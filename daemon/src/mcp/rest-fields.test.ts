import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '@sandbox/api/version.ts';
import { expect } from 'vitest';
import { test } from './mcp.fixture.ts';

const FILES = 'sandbox_file_operations';

test('[mcp.context] the context has the version of the service', async ({ mcp }) => {
  expect(await mcp.data('sandbox_get_context')).toMatchObject({ version: VERSION });
});

test('[mcp.search-content] search takes content for pattern; no other action does', async ({ mcp, dir }) => {
  const path = join(dir, 'a.txt');
  writeFileSync(path, 'one\ntwo\n');
  mkdirSync(join(dir, 'sub'));
  const count = async (args: object) => (await mcp.data(FILES, { action: 'search', path, ...args })).match_count;
  expect(await count({ content: 'tw.' })).toBe(1);
  expect(await count({ content: 'one', pattern: 'none' })).toBe(0);
  for (const [args, says] of [
    [{ action: 'search', path }, 'pattern is required'],
    [{ action: 'search', path, content: '' }, 'pattern is required'],
    [{ action: 'grep', path: dir, content: 'one' }, 'pattern is required'],
    [{ action: 'find', path: dir, content: '*' }, 'pattern is required'],
    [{ action: 'search', path, pattern: '' }, 'pattern: '],
  ] as const) {
    const { isError, content } = await mcp.call(FILES, args);
    expect([args, isError, content[0].text]).toEqual([args, true, expect.stringContaining(says)]);
  }
});

test.for([
  ['node', '1 + 1', '2'],
  ['js', '1 + 2', '3'],
])('[mcp.languages] %s is a name of JavaScript', async ([language, code, says], { mcp }) => {
  const { content, isError } = await mcp.call('sandbox_execute_code', { code, language, timeout: 120 });
  expect([isError ?? false, content[0].text.trim()]).toEqual([false, says]);
});

test('[mcp.languages] py is a name of Python, and an unknown name is refused with those there are', async ({ mcp }) => {
  const py = await mcp.call('sandbox_execute_code', { code: 'print(6 * 7)', language: 'py', timeout: 120 });
  const python = await mcp.call('sandbox_execute_code', { code: 'print(6 * 7)', language: 'python', timeout: 120 });
  expect(py).toEqual(python);
  for (const language of ['ruby', 'toString', 1]) {
    const { isError, content } = await mcp.call('sandbox_execute_code', { code: '1', language });
    expect([language, isError, content[0].text]).toEqual([language, true, expect.stringContaining('javascript')]);
  }
});
