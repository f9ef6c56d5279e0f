import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApp } from '../../../app.fixture.ts';
import { describe, expect, test } from '../files.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads.
type Json = any;

/** The whole answer of a route. */
async function ask(daemon: TestApp, route: string, body: object): Promise<Json> {
  const answer = await daemon.post(`/v1/file/${route}`, body);
  expect([answer.statusCode, answer.statusCode === 200 || answer.body]).toEqual([200, true]);
  return answer.json();
}

/** The `data` of a call that must succeed. */
async function call(daemon: TestApp, route: string, body: object): Promise<Json> {
  const answer = await ask(daemon, route, body);
  expect([answer.success, answer.message]).toEqual([true, expect.any(String)]);
  return answer.data;
}

describe('str_replace_editor', () => {
  test('[editor-field.create] [editor-field.prev-exist] create refuses what exists', async ({ daemon, dir }) => {
    const path = join(dir, 'new/f');
    const create = (body: object) => ask(daemon, 'str_replace_editor', { command: 'create', ...body });
    expect((await create({ path, file_text: 'a' })).data).toMatchObject({ prev_exist: false, new_content: 'a' });
    mkdirSync(join(dir, 'd'));
    for (const existing of [path, join(dir, 'd')]) {
      const refused = await create({ path: existing, file_text: 'b' });
      expect(refused).toMatchObject({ success: false, data: { error_type: 'already_exists' } });
      expect(refused.message).toContain('File already exists');
    }
    expect(readFileSync(path, 'utf8')).toBe('a');
    expect((await create({ path: join(dir, 'other') })).message).toContain('file_text is required');
  });

  test('[editor-field.undo] undo after create keeps the file, and each undo takes one edit back', async ({
    daemon,
    dir,
  }) => {
    const path = join(dir, 'f');
    const edit = (body: object) => call(daemon, 'str_replace_editor', { path, ...body });
    await edit({ command: 'create', file_text: 'a b' });
    expect(await edit({ command: 'undo_edit' })).toMatchObject({ prev_exist: true, new_content: 'a b' });
    expect(readFileSync(path, 'utf8')).toBe('a b');
    const none = await ask(daemon, 'str_replace_editor', { path, command: 'undo_edit' });
    expect(none).toMatchObject({ success: false, message: expect.stringContaining('No edit history') });
    await edit({ command: 'str_replace', old_str: 'a', new_str: 'x' });
    await edit({ command: 'str_replace', old_str: ' b' });
    expect(readFileSync(path, 'utf8')).toBe('x');
    await edit({ command: 'undo_edit' });
    await edit({ command: 'undo_edit' });
    expect(readFileSync(path, 'utf8')).toBe('a b');
  });

  test('[editor-field.view-range] [editor-field.replace] [editor-field.insert] [editor-field.directory] edits', async ({
    daemon,
    dir,
  }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'a\nb\nc\n');
    const edit = (body: object) => call(daemon, 'str_replace_editor', { path, ...body });
    const lines = async (view_range: unknown) => {
      const { output } = await edit({ command: 'view', view_range });
      return output.split('\n').slice(1).join('').replaceAll(/\s/g, '');
    };
    expect(await lines([2, 3])).toBe('2b3c');
    expect(await lines([2, -1])).toBe('2b3c');
    expect(await lines(null)).toBe('1a2b3c4');
    expect(await lines([])).toBe('1a2b3c4');
    expect((await edit({ command: 'insert', insert_line: 1, new_str: 'x' })).new_content).toBe('a\nx\nb\nc\n');
    expect((await edit({ command: 'insert', insert_line: 0, new_str: 'top' })).new_content).toBe('top\na\nx\nb\nc\n');
    expect((await edit({ command: 'str_replace', old_str: 'x\n' })).new_content).toBe('top\na\nb\nc\n');
    const viewed = await call(daemon, 'str_replace_editor', { path: dir, command: 'view' });
    expect(viewed.output).toContain(`${dir}/f`);
    expect(viewed.metadata).toBeNull();
  });

  test('[editor-field.message] the messages have the words that clients look for', async ({ daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'a a');
    const messageOf = async (body: object) => {
      const { success, message, data } = await ask(daemon, 'str_replace_editor', { path, ...body });
      expect([success, data.message]).toEqual([false, message]);
      return message.toLowerCase();
    };
    const missing = join(dir, 'none');
    for (const command of ['view', 'undo_edit']) {
      expect(await messageOf({ command, path: missing })).toContain('does not exist');
    }
    expect(await messageOf({ command: 'str_replace', path: missing, old_str: 'a' })).toContain('does not exist');
    expect(await messageOf({ command: 'insert', path: missing, insert_line: 0, new_str: 'a' })).toContain(
      'does not exist',
    );
    expect(await messageOf({ command: 'view', path: 'relative' })).toContain('invalid `path`');
    expect(await messageOf({ command: 'str_replace', old_str: 'z', new_str: '' })).toContain('did not appear');
    expect(await messageOf({ command: 'str_replace', old_str: 'a', new_str: '' })).toContain('multiple');
  });
});
