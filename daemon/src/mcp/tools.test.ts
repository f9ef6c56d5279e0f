import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, vi } from 'vitest';
import { McpCaller, test } from './mcp.fixture.ts';

const BASH = 'sandbox_execute_bash';
const FILES = 'sandbox_file_operations';
const EDITOR = 'sandbox_str_replace_editor';

describe(BASH, () => {
  test('[mcp.bash] answers status, output, exit code and directory as JSON text and structured content', async ({
    mcp,
    dir,
  }) => {
    const result = await mcp.call(BASH, { cmd: 'echo out; echo err >&2; exit 3', cwd: dir });
    expect(result.isError).toBeUndefined();
    const data = JSON.parse(result.content[0].text);
    expect(data).toMatchObject({ status: 'completed', output: 'out\nerr\n', exit_code: 3, cwd: dir });
    expect(result.structuredContent).toEqual(data);
  });

  test('[mcp.bash-directory] a call begins where the one before ended; new_session begins in the home', async ({
    mcp,
    dir,
  }) => {
    mkdirSync(join(dir, 'a', 'b'), { recursive: true });
    expect((await mcp.data(BASH, { cmd: 'cd a && export X=1', cwd: dir })).cwd).toBe(join(dir, 'a'));
    expect(await mcp.data(BASH, { cmd: 'pwd; echo "[$X$BASH_ENV]"; cd b; false' })).toMatchObject({
      output: `${join(dir, 'a')}\n[]\n`,
      exit_code: 1,
      cwd: join(dir, 'a', 'b'),
    });
    const home = realpathSync(homedir());
    expect(await mcp.data(BASH, { cmd: 'pwd -P; cd /', new_session: true })).toMatchObject({
      output: `${home}\n`,
      cwd: '/',
    });
    expect((await mcp.data(BASH, { cmd: 'pwd', cwd: '..' })).output).toBe(`${join(dir, 'a')}\n`);
    // What ends the shell without its trap leaves the directory as it was.
    expect((await mcp.data(BASH, { cmd: 'cd /; exec true' })).cwd).toBe(join(dir, 'a'));
  });

  test('[mcp.bash-directory] preserve_symlinks keeps links, and a directory that has gone is replaced by the home', async ({
    mcp,
    dir,
  }) => {
    mkdirSync(join(dir, 'real'));
    symlinkSync(join(dir, 'real'), join(dir, 'link'));
    expect((await mcp.data(BASH, { cmd: 'cd link', cwd: dir, preserve_symlinks: true })).cwd).toBe(join(dir, 'link'));
    expect((await mcp.data(BASH, { cmd: 'cd link', cwd: dir })).cwd).toBe(join(dir, 'real'));
    expect((await mcp.data(BASH, { cmd: `rmdir ${join(dir, 'real')}; cd ${join(dir, 'real')}` })).exit_code).toBe(1);
    expect((await mcp.data(BASH, { cmd: 'pwd -P' })).output).toBe(`${realpathSync(homedir())}\n`);
  });

  test('[mcp.bash-timeout] past its timeout a command goes on', async ({ mcp, dir }) => {
    const fifo = join(dir, 'go');
    await mcp.call(BASH, { cmd: `mkfifo ${fifo}` });
    const ran = await mcp.data(BASH, { cmd: `read < ${fifo}; echo done`, timeout: 0 });
    expect(ran).toMatchObject({ exit_code: null, hint: expect.stringContaining('keeps running') });
    expect(['running', 'pending']).toContain(ran.status);
    writeFileSync(fifo, 'x\n');
    const answer = () => mcp.daemon.inject(`/v2/commands/${ran.command_id}?wait=true`);
    await expect.poll(async () => (await answer()).json().data.stdout).toBe('done\n');
  });

  test('[mcp.bash-left] a command whose client leaves keeps running', async ({ dir }) => {
    await using mcp = await McpCaller.start();
    const address = await mcp.daemon.listen();
    const [begun, done] = [join(dir, 'begun'), join(dir, 'done')];
    const cmd = `mkfifo ${begun} ${done}; echo > ${begun}; read < ${done}; echo over`;
    const params = { name: BASH, arguments: { cmd } };
    const leaving = new AbortController();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const left = fetch(new URL('/mcp', address), { method: 'POST', body, signal: leaving.signal });
    await expect.poll(() => existsSync(begun)).toBe(true);
    await readFile(begun);
    leaving.abort();
    await expect(left).rejects.toThrow('aborted');
    await writeFile(done, 'x\n');
    const newest = async () => (await mcp.daemon.inject('/v2/commands')).json().data.commands[0];
    await expect.poll(newest).toMatchObject({ status: 'completed', exit_code: 0 });
  });

  test('[mcp.bash-bounded] long output loses its middle with a hint, unless truncate is false', async ({ mcp }) => {
    const cmd = 'head -c 100000 /dev/zero | tr "\\0" x; echo END';
    const cut = await mcp.data(BASH, { cmd });
    expect(cut.output.length).toBeLessThan(31_000);
    expect(cut.output.endsWith('END\n')).toBe(true);
    expect(cut.hint).toContain('redirect it to a file');
    const whole = await mcp.data(BASH, { cmd, truncate: false });
    expect([whole.output.length, whole.hint]).toEqual([100_004, undefined]);
  });

  test('[mcp.bash-parallel] calls at the same time do not mix', async ({ mcp }) => {
    const calls = Array.from({ length: 32 }, (_, n) => mcp.data(BASH, { cmd: `echo ${n}; exit ${n}` }));
    for (const [n, { output, exit_code }] of (await Promise.all(calls)).entries()) {
      expect([output, exit_code]).toEqual([`${n}\n`, n]);
    }
  });
});

describe('arguments', () => {
  test('[mcp.arguments] a missing argument is a result that names it, not an error of the protocol', async ({
    mcp,
  }) => {
    for (const [name, args, text] of [
      [BASH, {}, 'cmd is required'],
      [BASH, { cmd: null }, 'cmd is required'],
      [FILES, { action: 'read' }, 'path is required'],
      [EDITOR, { command: 'view' }, 'path is required'],
    ] as const) {
      expect(await mcp.call(name, args)).toMatchObject({ isError: true, content: [{ type: 'text', text }] });
    }
    for (const [args, text] of [
      [{ cmd: 1 }, 'cmd: '],
      [{ cmd: 'true', timeout: -1 }, 'timeout: '],
      [{ cmd: 'true', cwd: '/no/such' }, 'cwd does not exist'],
    ] as const) {
      const { isError, content } = await mcp.call(BASH, args);
      expect([isError, content[0].text.startsWith(text) || content[0].text]).toEqual([true, true]);
    }
  });
});

describe(FILES, () => {
  test('[mcp.files] write, read, replace and list', async ({ mcp, dir }) => {
    const path = join(dir, 'sub', 'a.txt');
    expect(await mcp.data(FILES, { action: 'write', path, content: 'one\ntwo\n' })).toMatchObject({
      action: 'write',
      path,
      success: true,
      bytes_written: 8,
    });
    await mcp.data(FILES, { action: 'write', path, content: 'two\n', append: true });
    expect((await mcp.data(FILES, { action: 'replace', path, target: 'two', content: '2' })).replaced_count).toBe(2);
    expect(readFileSync(path, 'utf8')).toBe('one\n2\n2\n');
    expect(await mcp.data(FILES, { action: 'read', path, start_line: 1, end_line: 2 })).toMatchObject({
      content: '2',
      line_count: 3,
    });
    expect((await mcp.data(FILES, { action: 'read', path, encoding: 'base64' })).content).toBe('b25lCjIKMgo=');
    const { files } = await mcp.data(FILES, { action: 'list', path: dir, recursive: true });
    expect(files.map((file: { path: string }) => file.path)).toEqual([join(dir, 'sub'), path]);
  });

  test('[mcp.files] grep, search, find and glob', async ({ mcp, dir }) => {
    writeFileSync(join(dir, 'a.py'), 'def main():\n    pass\n');
    writeFileSync(join(dir, 'b.txt'), 'def other\n');
    const grep = await mcp.data(FILES, { action: 'grep', path: dir, pattern: 'def \\w+', include: ['*.py'] });
    expect(grep.matches).toMatchObject([{ file: join(dir, 'a.py'), line_number: 1, line_content: 'def main():' }]);
    const search = await mcp.data(FILES, { action: 'search', path: join(dir, 'b.txt'), pattern: 'other' });
    expect(search.match_count).toBe(1);
    expect((await mcp.data(FILES, { action: 'find', path: dir, pattern: '*.py' })).files).toEqual([join(dir, 'a.py')]);
    const glob = await mcp.data(FILES, { action: 'glob', path: dir, pattern: '**/*', max_results: 1 });
    expect(glob).toMatchObject({ total_count: 2, truncated: true, hint: expect.stringContaining('max_results') });
  });

  test('[mcp.files-failure] a failed operation says what failed, with isError', async ({ mcp, dir }) => {
    const path = join(dir, 'no');
    const result = await mcp.call(FILES, { action: 'read', path });
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0].text)).toMatchObject({
      action: 'read',
      path,
      success: false,
      message: expect.stringContaining('ENOENT'),
      error: 'not_found',
    });
    expect(await mcp.call(FILES, { action: 'read', path: '~no-such-account' })).toMatchObject({ isError: true });
  });

  test('[mcp.files] a long file is cut at a line, with the line to go on from', async ({ mcp, dir }) => {
    const path = join(dir, 'long');
    const lines = Array.from({ length: 60_000 }, (_, n) => `line ${n}`);
    writeFileSync(path, lines.join('\n'));
    const seen: string[] = [];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const part: { content: string; hint?: string } = await mcp.data(FILES, {
        action: 'read',
        path,
        start_line: from,
      });
      seen.push(part.content);
      from = part.hint === undefined ? undefined : Number(/start_line (\d+)/.exec(part.hint)?.[1]);
    }
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.join('')).toBe(lines.join('\n'));
  });
});

test('[manners.shell-paths] tools resolve ~ and relative paths, and answer absolute ones', async ({ mcp }) => {
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  vi.stubEnv('HOME', home);
  try {
    const written = await mcp.data(FILES, { action: 'write', path: 'a', content: 'needle' });
    expect(written).toMatchObject({ success: true, path: `${home}/a` });
    expect(await mcp.data(FILES, { action: 'grep', path: '~', pattern: 'needle' })).toMatchObject({ path: home });
    const edit = { command: 'str_replace', path: '~/a', old_str: 'needle', new_str: 'thread' };
    expect((await mcp.call(EDITOR, edit)).isError).not.toBe(true);
    expect(readFileSync(join(home, 'a'), 'utf8')).toBe('thread');
    expect(await mcp.data(BASH, { cmd: 'cat a', cwd: '~', new_session: true })).toMatchObject({
      output: 'thread',
      cwd: home,
    });
  } finally {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  }
});

describe(EDITOR, () => {
  test('[mcp.editor] create, view, str_replace, insert and undo_edit show numbered lines', async ({ mcp, dir }) => {
    const path = join(dir, 'a.txt');
    const edit = async (args: object) => (await mcp.call(EDITOR, { path, ...args })).content[0].text as string;
    await edit({ command: 'create', file_text: 'one\ntwo\n' });
    expect(await edit({ command: 'view', view_range: [2, -1] })).toContain('     2\ttwo');
    expect(await edit({ command: 'str_replace', old_str: 'two', new_str: 'three' })).toContain('     2\tthree');
    await edit({ command: 'insert', insert_line: 0, new_str: 'zero' });
    expect(readFileSync(path, 'utf8')).toBe('zero\none\nthree\n');
    await edit({ command: 'undo_edit' });
    expect(readFileSync(path, 'utf8')).toBe('one\nthree\n');
    const failed = await mcp.call(EDITOR, { command: 'str_replace', path, old_str: 'absent', new_str: 'x' });
    expect(failed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('absent') }] });
  });
});

test('[mcp.context] the context is JSON, packages are lines', async ({ mcp }) => {
  expect(await mcp.data('sandbox_get_context')).toMatchObject({ os: expect.any(String), tools: expect.any(Array) });
  const packages = async (args = {}): Promise<string> => (await mcp.call('sandbox_get_packages', args)).content[0].text;
  const [python, nodejs] = [await packages({ language: 'python' }), await packages({ language: 'nodejs' })];
  for (const text of [python, nodejs]) expect(text).toMatch(/^(- \S+==\S+(\n|$))*$/);
  expect(await packages()).toBe(`Python Packages:\n${python}\n\nNode.js Packages:\n${nodejs}`);
});

test('[mcp.described] every tool says what it is for, with an example that its schema accepts, and hints', async ({
  mcp,
}) => {
  const { tools } = (await mcp.request('tools/list')).result;
  const ajv = new Ajv2020({ strict: false, logger: false });
  for (const { name, description, inputSchema, annotations } of tools) {
    const [, example = ''] = /\nExample: (\{.*\})$/.exec(description) ?? [];
    expect([name, ajv.validate(inputSchema, JSON.parse(example)), ajv.errorsText()]).toEqual([name, true, 'No errors']);
    expect([name, description.length > 80, typeof annotations.readOnlyHint]).toEqual([name, true, 'boolean']);
    expect([name, JSON.stringify(inputSchema).includes('$ref')]).toEqual([name, false]);
  }
});

test('[mcp.structured] structured content is what the output schema says', async ({ mcp, dir }) => {
  const { tools } = (await mcp.request('tools/list')).result;
  const path = join(dir, 'a.txt');
  writeFileSync(path, 'one\n');
  const calls: [string, object][] = [
    [BASH, { cmd: 'false' }],
    [BASH, { cmd: 'sleep 60', timeout: 0 }],
    ['sandbox_get_context', {}],
    ...['read', 'list', 'grep', 'find', 'glob'].map((action): [string, object] => [
      FILES,
      { action, path: action === 'read' ? path : dir, pattern: '*' },
    ]),
  ];
  const ajv = new Ajv2020({ strict: false, logger: false });
  for (const [name, args] of calls) {
    const { structuredContent } = await mcp.call(name, args);
    const { outputSchema } = tools.find((tool: { name: string }) => tool.name === name);
    expect([name, args, ajv.validate(outputSchema, structuredContent)]).toEqual([name, args, true]);
  }
});
