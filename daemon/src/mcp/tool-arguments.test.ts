import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { McpCaller, test } from './mcp.fixture.ts';

const FILES = 'sandbox_file_operations';
const EDITOR = 'sandbox_str_replace_editor';

/** The arguments that the contract names, and those that continue a command: a star where required, with the defaults that it names. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  sandbox_execute_bash:
    'cmd* cwd new_session=false timeout=30 hard_timeout open_stdin=false preserve_symlinks=false truncate=true',
  sandbox_execute_code: 'code* language timeout',
  sandbox_file_operations:
    'action* path* content target pattern encoding start_line end_line append recursive show_hidden file_types sudo ' +
    'include exclude case_insensitive fixed_strings context_before context_after max_results include_metadata files_only',
  sandbox_str_replace_editor: 'command* path* file_text old_str new_str insert_line view_range replace_mode',
  sandbox_get_context: '',
  sandbox_get_packages: 'language',
  sandbox_load_skill: 'name',
  browser_get_info: '',
  browser_gui_screenshot: '',
  browser_gui_execute_action: 'action*',
};

interface Property {
  readonly default?: unknown;
  readonly enum?: readonly string[];
}

test('[mcp.order] [mcp.arguments] the ten tools in their order, with the arguments of the contract', async ({
  mcp,
}) => {
  const listed = (await mcp.request('tools/list')).result.tools;
  const tools = listed.slice(0, 10);
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(Object.keys(ARGUMENTS));
  for (const { name, inputSchema } of tools) {
    const { properties = {}, required = [] } = inputSchema as {
      properties?: Record<string, Property>;
      required?: string[];
    };
    const wanted = ARGUMENTS[name]?.split(' ').filter(Boolean) ?? [];
    const has = wanted.map((word) => {
      const [argument = ''] = word.split(/[*=]/);
      const { default: value } = properties[argument] ?? {};
      return argument + (required.includes(argument) ? '*' : '') + (word.includes('=') ? `=${value}` : '');
    });
    expect([name, has]).toEqual([name, wanted]);
    expect([name, Object.keys(properties).sort()]).toEqual([name, wanted.map((word) => word.split(/[*=]/)[0]).sort()]);
  }
  const properties = (name: string) =>
    tools.find((tool: { name: string }) => tool.name === name).inputSchema.properties;
  expect(properties('sandbox_execute_code').language.enum).toEqual(['python', 'javascript']);
  const actions = ['find', 'glob', 'grep', 'list', 'read', 'replace', 'search', 'write'];
  expect(properties(FILES).action.enum.toSorted()).toEqual(actions);
});

test('[mcp.files] list: recursive, show_hidden, file_types, include_metadata, max_results', async ({ mcp, dir }) => {
  for (const name of ['a.py', 'b.txt', '.c.py']) writeFileSync(join(dir, name), name);
  mkdirSync(join(dir, 'sub'));
  writeFileSync(join(dir, 'sub', 'd.py'), 'd');
  const list = async (args: object): Promise<string[]> =>
    (await mcp.data(FILES, { action: 'list', path: dir, ...args })).files.map(({ name }: { name: string }) => name);
  expect((await list({})).toSorted()).toEqual(['.c.py', 'a.py', 'b.txt', 'sub']);
  expect((await list({ show_hidden: false })).toSorted()).toEqual(['a.py', 'b.txt', 'sub']);
  expect(await list({ recursive: true })).toContain('d.py');
  const python = await list({ recursive: true, file_types: ['py'] });
  expect([python.includes('d.py'), python.includes('b.txt')]).toEqual([true, false]);
  const [bare] = (await mcp.data(FILES, { action: 'list', path: dir, include_metadata: false })).files;
  expect([bare.size, bare.modified_time]).toEqual([undefined, undefined]);
  const some = await mcp.data(FILES, { action: 'list', path: dir, max_results: 2 });
  expect([some.files.length, some.hint]).toEqual([2, expect.stringContaining('max_results')]);
  expect(some.files[0]).toMatchObject({ size: expect.any(Number), modified_time: expect.any(String) });
});

test('[mcp.files] grep: exclude, case_insensitive, fixed_strings, context, recursive, max_results', async ({
  mcp,
  dir,
}) => {
  writeFileSync(join(dir, 'a.txt'), 'first\nA.B\naxb\nlast\n');
  writeFileSync(join(dir, 'b.log'), 'axb\n');
  mkdirSync(join(dir, 'sub'));
  writeFileSync(join(dir, 'sub', 'c.txt'), 'a.b\n');
  const grep = async (args: object): Promise<Record<string, unknown>[]> =>
    (await mcp.data(FILES, { action: 'grep', path: dir, pattern: 'a.b', ...args })).matches;
  const lines = async (args: object): Promise<unknown[]> =>
    (await grep(args)).map(({ line_content }) => line_content).toSorted();
  expect(await lines({})).toEqual(['a.b', 'axb', 'axb']);
  expect(await lines({ exclude: ['*.log'] })).toEqual(['a.b', 'axb']);
  expect(await lines({ recursive: false })).toEqual(['axb', 'axb']);
  expect(await lines({ fixed_strings: true })).toEqual(['a.b']);
  expect(await lines({ fixed_strings: true, case_insensitive: true })).toEqual(['A.B', 'a.b']);
  expect(await grep({ include: ['a.txt'], context_before: 1, context_after: 1 })).toMatchObject([
    { context_before: ['A.B'], context_after: ['last'] },
  ]);
  expect(await lines({ max_results: 1 })).toHaveLength(1);
});

test('[mcp.files] glob: exclude, files_only, include_metadata', async ({ mcp, dir }) => {
  mkdirSync(join(dir, 'sub.py'));
  for (const name of ['a.py', 'b.py']) writeFileSync(join(dir, name), name);
  const glob = async (args: object): Promise<{ path: string; size?: number }[]> =>
    (await mcp.data(FILES, { action: 'glob', path: dir, pattern: '*.py', ...args })).files;
  const names = async (args: object): Promise<string[]> =>
    (await glob(args)).map(({ path }) => path.slice(dir.length)).toSorted();
  expect(await names({})).toEqual(['/a.py', '/b.py']);
  expect(await names({ files_only: false })).toEqual(['/a.py', '/b.py', '/sub.py']);
  expect(await names({ exclude: ['b.py'] })).toEqual(['/a.py']);
  expect((await glob({})).map(({ size }) => size)).toEqual([4, 4]);
  expect((await glob({ include_metadata: false })).map(({ size }) => size)).toEqual([undefined, undefined]);
});

test('[mcp.files] write: base64, and as root; an action that is none of the eight', async ({ mcp, dir }) => {
  const path = join(dir, 'bytes');
  await mcp.data(FILES, { action: 'write', path, content: 'AP8=', encoding: 'base64', sudo: true });
  expect(readFileSync(path)).toEqual(Buffer.from([0, 255]));
  const wrong = await mcp.call(FILES, { action: 'chmod', path });
  expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('action') }] });
});

test('[mcp.editor] replace_mode decides where the text occurs more than once', async ({ mcp, dir }) => {
  const path = join(dir, 'a.txt');
  const edited = async (args: object): Promise<[boolean, string]> => {
    writeFileSync(path, 'x\nx\nx\n');
    const given = { command: 'str_replace', path, old_str: 'x', new_str: 'y', ...args };
    const { isError = false } = await mcp.call(EDITOR, given);
    return [isError, readFileSync(path, 'utf8')];
  };
  expect(await edited({})).toEqual([true, 'x\nx\nx\n']);
  expect(await edited({ replace_mode: 'FIRST' })).toEqual([false, 'y\nx\nx\n']);
  expect(await edited({ replace_mode: 'LAST' })).toEqual([false, 'x\nx\ny\n']);
  expect(await edited({ replace_mode: 'ALL' })).toEqual([false, 'y\ny\ny\n']);
});

test('[mcp.malformed] more than a hundred levels are refused, before any tool is asked', async ({ mcp }) => {
  const text = (levels: number): string => {
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const params = `{"name":"sandbox_load_skill","arguments":{"x":${deep}}}`;
    return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  };
  expect((await mcp.post(text(97))).json).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } });
  for (const levels of [98, 100_000]) {
    const { status, json } = await mcp.post(text(levels));
    expect([levels, status, json.error.code]).toEqual([levels, 200, -32600]);
    expect(json.error.message).toContain('more than 100');
  }
});

test.each([
  ['sandbox_execute_bash', { command: 'true' }, 'unknown field command; did you mean cmd?'],
  ['sandbox_execute_bash', { cmd: 'true', timeot: 1 }, 'unknown field timeot; did you mean timeout?'],
  [FILES, { action: 'list', path: '/', show_hiden: true }, 'unknown field show_hiden; did you mean show_hidden?'],
  [EDITOR, { command: 'create', path: '/x', content: '' }, 'unknown field content; did you mean file_text?'],
  ['sandbox_get_context', { verbose: true }, 'unknown field verbose; this call has no field in its arguments'],
  ['browser_gui_execute_action', { action: { action_type: 'CLICK', xx: 1 } }, 'action: unknown field xx'],
])('[mcp.unknown-argument] %s %j says %s', async (name, args, said) => {
  await using mcp = await McpCaller.start();
  const result = await mcp.call(name, args);
  expect([result.isError, result.content[0].text]).toEqual([true, expect.stringContaining(said)]);
});

test('[mcp.unknown-argument] those for others, those that are null, those of 1.x and with SVC_STRICT=false are ignored', async ({
  mcp,
}) => {
  const cmd = { cmd: 'echo hi' };
  const others = { ...cmd, _meta: 1, 'x-note': 1, utm_id: 1, api_key: 'a', ticket: 'b', timeot: null };
  expect((await mcp.call('sandbox_execute_bash', others)).isError).toBeUndefined();
  const params = { name: 'sandbox_execute_bash', arguments: { ...cmd, timeot: 1 } };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  expect((await mcp.post(message)).json.result.isError).toBe(true);
  expect((await mcp.post(message, {}, '/v1/mcp')).json.result.isError).toBeUndefined();
  await using lenient = await McpCaller.start({ SVC_STRICT: 'false' });
  expect((await lenient.post(message)).json.result.isError).toBeUndefined();
});
