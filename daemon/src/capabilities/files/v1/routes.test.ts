import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApp } from '../../../app.fixture.ts';
import { expectValid } from '../../../wire.fixture.ts';
import { describe, expect, test } from '../files.fixture.ts';

const SCHEMAS: Readonly<Record<string, readonly [request: string, answer: string]>> = {
  read: ['FileReadRequest', 'FileReadResult'],
  write: ['FileWriteRequest', 'FileWriteResult'],
  replace: ['FileReplaceRequest', 'FileReplaceResult'],
  list: ['FileListRequest', 'FileListResult'],
  str_replace_editor: ['StrReplaceEditorRequest', 'StrReplaceEditorResult'],
};

/** Calls a route, and checks its request and answer against the schemas of 1.x. */
async function call(daemon: TestApp, route: string, body: object) {
  const [request, answer] = SCHEMAS[route] ?? [];
  if (request) expectValid(request, body);
  const { statusCode, body: text } = await daemon.post(`/v1/file/${route}`, body);
  expect([statusCode, statusCode === 200 ? '' : text]).toEqual([200, '']);
  const parsed = JSON.parse(text);
  if (answer) {
    expectValid(`Response_Union_${answer}__FileOperationError__`, parsed);
    expectValid(parsed.success ? answer : 'FileOperationError', parsed.data);
  }
  return parsed;
}

describe('read, write and replace', () => {
  test('[v1.file-read] read gives content, lines and the file', async ({ daemon, dir }) => {
    const file = join(dir, 'f');
    writeFileSync(file, 'a\nb\nc\n');
    expect((await call(daemon, 'read', { file })).data).toEqual({ content: 'a\nb\nc\n', line_count: 3, file });
    const one = await call(daemon, 'read', { file, start_line: 1, end_line: 2, sudo: true });
    expect(one.data).toEqual({ content: 'b', line_count: 1, file });
    expect((await call(daemon, 'read', { file, start_line: null, end_line: null, sudo: null })).data.content).toBe(
      'a\nb\nc\n',
    );
    expect((await call(daemon, 'read', { file, start_line: -5 })).data.content).toBe('a\nb\nc');
  });

  test('[v1.file-write] write makes and appends', async ({ daemon, dir }) => {
    const file = join(dir, 'new/f');
    expect((await call(daemon, 'write', { file, content: 'a' })).data).toEqual({ file, bytes_written: 1 });
    const more = { append: true, leading_newline: true, trailing_newline: true, encoding: 'utf-8', sudo: false };
    expect((await call(daemon, 'write', { file, content: 'b', ...more })).data.bytes_written).toBe(3);
    expect(readFileSync(file, 'utf8')).toBe('a\nb\n');
    await call(daemon, 'write', { file, content: 'AP8=', encoding: 'base64', append: null });
    expect(readFileSync(file)).toEqual(Buffer.from([0, 255]));
  });

  test('[v1.file-replace] replace replaces every occurrence and tells how many', async ({ daemon, dir }) => {
    const file = join(dir, 'f');
    writeFileSync(file, 'a b a');
    const answer = await call(daemon, 'replace', { file, old_str: 'a', new_str: '$&' });
    expect([answer.data, answer.message]).toEqual([{ file, replaced_count: 2 }, '2 occurrences replaced']);
    expect(readFileSync(file, 'utf8')).toBe('$& b $&');
    expect((await call(daemon, 'replace', { file, old_str: 'z', new_str: '' })).data.replaced_count).toBe(0);
  });
});

describe('list', () => {
  test('[v1.file-list] [v1.file-required-fields] list sorts, filters and leaves out what is not wanted', async ({
    daemon,
    dir,
  }) => {
    mkdirSync(join(dir, 'd'));
    for (const [name, content] of [
      ['a.py', 'xxx'],
      ['b.TXT', 'x'],
      ['.c.py', 'xx'],
      ['d/e.py', ''],
    ] as const)
      writeFileSync(join(dir, name), content);
    const names = async (body: object) =>
      (await call(daemon, 'list', { path: dir, ...body })).data.files.map(({ name }: { name: string }) => name);
    const { data } = await call(daemon, 'list', { path: dir, include_permissions: true });
    expect(data).toMatchObject({ path: dir, total_count: 4, directory_count: 1, file_count: 3 });
    expect(data.files[1]).toMatchObject({
      name: 'a.py',
      path: join(dir, 'a.py'),
      is_directory: false,
      size: 3,
      extension: '.py',
      permissions: '-rw-r--r--',
    });
    expect((await call(daemon, 'list', { path: dir, include_size: false })).data.files[1]).toMatchObject({
      size: null,
      permissions: null,
    });
    expect(await names({})).toEqual(['.c.py', 'a.py', 'b.TXT', 'd']);
    expect(await names({ show_hidden: false, sort_desc: true })).toEqual(['d', 'b.TXT', 'a.py']);
    const bySize = async (body: object) => {
      const sorted: string[] = await names({ sort_by: 'size', file_types: ['py', '.txt'], ...body });
      return sorted.filter((name) => name !== 'd');
    };
    expect(await bySize({ recursive: true })).toEqual(['e.py', 'b.TXT', '.c.py', 'a.py']);
    expect(await bySize({})).toEqual(['b.TXT', '.c.py', 'a.py']);
    expect(await bySize({ file_types: ['txt'] })).toEqual(['b.TXT']);
    expect(await names({ recursive: true, max_depth: 1 })).toEqual(['.c.py', 'a.py', 'b.TXT', 'd']);
    expect(await names({ sort_by: 'anything' })).toEqual(['.c.py', 'a.py', 'b.TXT', 'd']);
  });
});

describe('str_replace_editor', () => {
  test('[v1.editor] docs/contract.md §12 /file str_replace_editor create: create, view, str_replace, insert and undo_edit', async ({
    daemon,
    dir,
  }) => {
    const path = join(dir, 'f.txt');
    const edit = async (body: object) => (await call(daemon, 'str_replace_editor', { path, ...body })).data;
    expect(await edit({ command: 'create', file_text: 'a\nb\n' })).toEqual({
      output: `File created successfully at: ${path}`,
      error: null,
      path,
      prev_exist: false,
      old_content: null,
      new_content: 'a\nb\n',
      metadata: null,
    });
    expect((await edit({ command: 'view', view_range: [] })).output).toBe(
      `Here's the result of running \`cat -n\` on ${path}:\n     1\ta\n     2\tb\n     3\t\n`,
    );
    expect((await edit({ command: 'view', view_range: [2, -1] })).output).toBe(
      `Here's the result of running \`cat -n\` on ${path}:\n     2\tb\n`,
    );
    const replaced = await edit({ command: 'str_replace', old_str: 'b', new_str: 'c', replace_mode: null });
    expect(replaced).toMatchObject({ prev_exist: true, old_content: 'a\nb\n', new_content: 'a\nc\n' });
    expect(replaced.output).toContain('     2\tc');
    expect((await edit({ command: 'insert', insert_line: 0, new_str: 'top' })).new_content).toBe('top\na\nc\n');
    await edit({ command: 'undo_edit' });
    await edit({ command: 'undo_edit' });
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n');
  });

  test('[v1.editor-directory] view of a directory shows two levels without what is hidden', async ({ daemon, dir }) => {
    mkdirSync(join(dir, 'a/b/c'), { recursive: true });
    for (const name of ['a/b/c/deep', 'a/f', '.hidden', 'z']) writeFileSync(join(dir, name), '');
    symlinkSync('a', join(dir, 'link'));
    const { data } = await call(daemon, 'str_replace_editor', { command: 'view', path: dir });
    expect(data.output.split('\n')).toEqual([
      `Here's the files and directories up to 2 levels deep in ${dir}, excluding hidden items:`,
      ...['', 'a/', 'a/b/', 'a/f', 'link/', 'z'].map((name) => `${dir}/${name}`),
      '',
      `1 hidden files/directories in this directory are excluded. You can use 'ls -la ${dir}' to see them.`,
    ]);
  });

  test.for([
    [{ command: 'view', view_range: [1] }, 'it should be a list of two integers'],
    [{ command: 'view', view_range: [9, 10] }, 'should be within the range of lines of the file: [1, 2]'],
    [{ command: 'view', view_range: [2, 1] }, 'should be greater than or equal to the first element `2`'],
    [{ command: 'create' }, 'file_text is required'],
    [{ command: 'str_replace', old_str: 'none' }, 'did not appear verbatim'],
    [{ command: 'insert', new_str: 'x' }, 'insert_line is required'],
    [{ command: 'undo_edit' }, 'No edit history found'],
  ] as const)('[v1.editor-refused] %j is a failure of status 200', async ([body, message], { daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'a\nb');
    const answer = await call(daemon, 'str_replace_editor', { path, ...body });
    expect(answer).toMatchObject({
      success: false,
      message: expect.stringContaining(message),
      data: { error_type: 'bad_request' },
    });
  });
});

describe('failures', () => {
  test('[file-error.v1-200] an expected failure is 200 with success false and all of what the system said', async ({
    daemon,
    dir,
  }) => {
    writeFileSync(join(dir, 'bytes'), Buffer.from([255]));
    const cases = [
      ['read', { file: join(dir, 'none') }, 'not_found'],
      ['read', { file: dir }, 'invalid_target'],
      ['read', { file: 'relative' }, 'invalid_path'],
      ['read', { file: join(dir, 'bytes') }, 'decode_error'],
      ['write', { file: dir, content: '' }, 'invalid_target'],
      ['replace', { file: join(dir, 'none'), old_str: 'a', new_str: 'b' }, 'not_found'],
      ['list', { path: join(dir, 'none') }, 'not_found'],
      ['stat', { path: join(dir, 'none') }, 'not_found'],
      ['mkdir', { path: dir }, 'already_exists'],
      ['copy', { source: join(dir, 'none'), destination: join(dir, 'x') }, 'not_found'],
      ['move', { source: join(dir, 'none'), destination: join(dir, 'x') }, 'not_found'],
      ['delete', { path: dir, recursive: false }, 'already_exists'],
    ] as const;
    for (const [route, body, error_type] of cases) {
      const answer = await call(daemon, route, body);
      expect([route, answer.success, answer.data.error_type]).toEqual([route, false, error_type]);
      expect(Object.keys(answer.data).sort()).toEqual([
        'errno',
        'errno_name',
        'error_type',
        'exception_type',
        'message',
        'operation',
        'path',
        'retryable',
      ]);
      expectValid('FileOperationError', answer.data);
    }
  });

  test('[file-error.v1-download-status] [v1.file-download] download alone uses the status', async ({ daemon, dir }) => {
    writeFileSync(join(dir, 'f'), 'x');
    const ask = (path: string) => daemon.inject({ url: '/v1/file/download', query: { path } });
    const found = await ask(join(dir, 'f'));
    expect([found.statusCode, found.headers['content-type'], found.body]).toEqual([
      200,
      'application/octet-stream',
      'x',
    ]);
    const missing = await ask(join(dir, 'none'));
    expect([missing.statusCode, missing.json().data.error_type]).toEqual([404, 'not_found']);
    expect((await daemon.inject('/v1/file/download')).statusCode).toBe(422);
  });

  test('a field that is missing is named in the form of 1.x', async ({ daemon }) => {
    const answer = await daemon.post('/v1/file/read', {});
    expect(answer.statusCode).toBe(422);
    expectValid('HTTPValidationError', answer.json());
    expect(answer.json().detail[0].loc).toEqual(['body', 'file']);
  });
});

test('[v1.file-upload] upload takes a form and answers path, size and success', async ({ daemon, dir }) => {
  const form = new FormData();
  form.append('file', new Blob(['hello']), 'x');
  form.append('path', join(dir, 'f'));
  const response = new Response(form);
  const answer = await daemon.inject({
    method: 'POST',
    url: '/v1/file/upload',
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
    payload: Buffer.from(await response.arrayBuffer()),
  });
  expectValid('Response_Union_FileUploadResult__FileOperationError__', answer.json());
  expect(answer.json().data).toMatchObject({ file_path: join(dir, 'f'), file_size: 5, success: true });
  expect(readFileSync(join(dir, 'f'), 'utf8')).toBe('hello');
  const none = await daemon.post('/v1/file/upload', {});
  expect(none.statusCode).toBe(422);
});

test('[v1.file-others] stat, mkdir, copy, move and delete take the bodies of v2', async ({ daemon, dir }) => {
  const [a, b, c] = [join(dir, 'a'), join(dir, 'b'), join(dir, 'c')];
  await call(daemon, 'mkdir', { path: join(a, 'x'), parents: true, sudo: true });
  expect((await call(daemon, 'stat', { path: a })).data).toMatchObject({ is_directory: true, path: a });
  await call(daemon, 'copy', { source: a, destination: b });
  await call(daemon, 'move', { source: a, destination: c });
  await call(daemon, 'delete', { path: b, recursive: true });
  expect([existsSync(a), existsSync(b), existsSync(join(c, 'x'))]).toEqual([false, false, true]);
});
