import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, get, post, test } from '../files.fixture.ts';

const EDIT = '/v2/fs/edit';
const LINES = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join('\n');

describe('str_replace', () => {
  test('[fs.edit] it shows the edited lines, numbered, with both contents', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, LINES);
    const { ino } = statSync(path);
    const edited = await post(daemon, 'edit', { path, command: 'str_replace', old_str: 'line 10', new_str: 'ten\n10' });
    const content = LINES.replace('line 10', 'ten\n10');
    expect(edited).toEqual({
      path,
      output: [
        `The file ${path} has been edited. Here's the result of running \`cat -n\` on a snippet of ${path}:`,
        '     6\tline 6',
        '     7\tline 7',
        '     8\tline 8',
        '     9\tline 9',
        '    10\tten',
        '    11\t10',
        '    12\tline 11',
        '    13\tline 12',
        '    14\tline 13',
        '    15\tline 14',
        'Review the changes and make sure they are as expected. Edit the file again if necessary.',
      ].join('\n'),
      old_content: LINES,
      new_content: content,
      prev_exist: true,
      etag: expect.any(String),
    });
    expect([readFileSync(path, 'utf8'), statSync(path).ino]).toEqual([content, ino]);
    expect((await get(daemon, 'stat', { path })).etag).toBe(edited.etag);
  });

  test('[fs.edit-anchor] [status.ambiguous-anchor-400] an anchor that is absent, or there twice without replace_mode, is 400', async ({
    daemon,
    dir,
  }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'a\nb\na\n');
    const ask = (more: object) => daemon.post(EDIT, { path, command: 'str_replace', new_str: 'x', ...more });
    const absent = await ask({ old_str: 'z' });
    expect([absent.statusCode, absent.json().message]).toEqual([
      400,
      `No replacement was performed, old_str \`z\` did not appear verbatim in ${path}.`,
    ]);
    const twice = await ask({ old_str: 'a' });
    expect([twice.statusCode, twice.json().message]).toEqual([
      400,
      'No replacement was performed. Multiple occurrences of old_str `a` in lines [1, 3]. Please ensure it is unique.',
    ]);
    for (const more of [{ old_str: '' }, {}, { old_str: 'b', new_str: 'b' }])
      expect((await ask(more)).statusCode).toBe(400);
    expect(readFileSync(path, 'utf8')).toBe('a\nb\na\n');
  });

  test.for([
    ['ALL', 'x\nb\nx\n'],
    ['FIRST', 'x\nb\na\n'],
    ['LAST', 'a\nb\nx\n'],
  ] as const)('[fs.edit-modes] replace_mode %s', async ([replace_mode, content], { daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'a\nb\na\n');
    await post(daemon, 'edit', { path, command: 'str_replace', old_str: 'a', new_str: 'x', replace_mode });
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test('without new_str the text is deleted; `$&` and the like are plain text', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'a b c');
    await post(daemon, 'edit', { path, command: 'str_replace', old_str: ' b' });
    await post(daemon, 'edit', { path, command: 'str_replace', old_str: 'c', new_str: "$& $1 $'" });
    expect(readFileSync(path, 'utf8')).toBe("a $& $1 $'");
  });

  test('if_match holds for edits too, and of many edits none is lost', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, LINES);
    const edits = Array.from({ length: 20 }, (_, at) =>
      post(daemon, 'edit', { path, command: 'str_replace', old_str: `line ${at + 1}\n`, new_str: `${at + 1}\n` }).catch(
        String,
      ),
    );
    await Promise.all(edits);
    const content = readFileSync(path, 'utf8').split('\n');
    expect(content.slice(0, 19)).toEqual(Array.from({ length: 19 }, (_, at) => String(at + 1)));
    const stale = await daemon.post(EDIT, {
      path,
      command: 'str_replace',
      old_str: '1\n',
      new_str: '',
      if_match: '"stale"',
    });
    expect(stale.statusCode).toBe(409);
  });
});

describe('insert', () => {
  test('[fs.edit-insert] lines go after the one that is named', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'a\nb\n');
    const insert = (insert_line: number, new_str: string) =>
      daemon.post(EDIT, { path, command: 'insert', insert_line, new_str });
    expect((await insert(1, 'x')).json().data.output).toBe(
      `The file ${path} has been edited. Here's the result of running \`cat -n\` on a snippet of the edited file:\n` +
        '     1\ta\n     2\tx\n     3\tb\n     4\t\n' +
        'Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.',
    );
    await insert(0, 'first');
    await insert(4, 'last\n');
    expect(readFileSync(path, 'utf8')).toBe('first\na\nx\nb\nlast\n');
    const out = await insert(6, 'x');
    expect([out.statusCode, out.json().message]).toEqual([
      400,
      'Invalid `insert_line` parameter: 6. It should be within the range of allowed values: [0, 5]',
    ]);
    for (const body of [{ insert_line: 1 }, { new_str: 'x' }]) {
      expect((await daemon.post(EDIT, { path, command: 'insert', ...body })).statusCode).toBe(400);
    }
  });
});

describe('undo_edit', () => {
  test('[fs.edit-undo] edits are undone one by one, until none is left', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'a');
    await post(daemon, 'edit', { path, command: 'str_replace', old_str: 'a', new_str: 'b' });
    await post(daemon, 'edit', { path, command: 'insert', insert_line: 1, new_str: 'c' });
    expect(readFileSync(path, 'utf8')).toBe('b\nc');
    const undone = await post(daemon, 'edit', { path: `${dir}/../${dir.split('/').at(-1)}/f`, command: 'undo_edit' });
    expect(undone).toMatchObject({ old_content: 'b\nc', new_content: 'b' });
    expect((await post(daemon, 'edit', { path, command: 'undo_edit' })).output).toBe(
      `Last edit to ${path} undone successfully. Here's the result of running \`cat -n\` on ${path}:\n     1\ta\n`,
    );
    expect(readFileSync(path, 'utf8')).toBe('a');
    const none = await daemon.post(EDIT, { path, command: 'undo_edit' });
    expect([none.statusCode, none.json().message]).toEqual([400, `No edit history found for ${path}.`]);
  });
});

test.for([
  ['create', 'use POST /v2/fs/write'],
  ['view', 'use GET /v2/fs/read'],
  ['rewrite', 'use str_replace, insert or undo_edit'],
])('[fs.edit-create-view] %s is 400 and names what does it', async ([command, hint], { daemon, dir }) => {
  const answer = await daemon.post(EDIT, { path: join(dir, 'f'), command });
  expect([answer.statusCode, answer.json().hint]).toEqual([400, hint]);
});

test('what cannot be edited: a directory, bytes, a file that is not there', async ({ daemon, dir }) => {
  writeFileSync(join(dir, 'bytes'), Buffer.from([255]));
  const ask = async (path: string) =>
    (await daemon.post(EDIT, { path, command: 'str_replace', old_str: 'a', new_str: 'b' })).statusCode;
  expect([await ask(dir), await ask(join(dir, 'bytes')), await ask(join(dir, 'none'))]).toEqual([400, 422, 404]);
});
