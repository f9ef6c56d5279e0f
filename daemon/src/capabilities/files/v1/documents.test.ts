import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApp } from '../../../app.fixture.ts';
import { packed, pageOf, pdfOf, slidesOf, workbookOf } from '../documents/documents.fixture.ts';
import { describe, expect, test } from '../files.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads.
type Json = any;

async function view(daemon: TestApp, path: string, body: object = {}): Promise<Json> {
  const answer = await daemon.post('/v1/file/str_replace_editor', { command: 'view', path, ...body });
  expect([answer.statusCode, answer.statusCode === 200 || answer.body]).toEqual([200, true]);
  return answer.json();
}

/** Writes a document and answers what a view of it shows. */
function viewer(daemon: TestApp, path: string, bytes: Buffer) {
  writeFileSync(path, bytes);
  return async (body: object = {}): Promise<Json> => {
    const { success, message, data } = await view(daemon, path, body);
    expect([success, success || message]).toEqual([true, true]);
    expect(data.output.startsWith(`Here's the text of ${path}:\n`)).toBe(true);
    return { text: data.output.slice(data.output.indexOf('\n') + 1), metadata: data.metadata };
  };
}

test('[editor-field.pdf] [editor-field.metadata] a PDF is viewed as text, by pages', async ({ daemon, dir }) => {
  const pages = [pageOf('one', 'more of one'), pageOf('two'), pageOf('three')];
  const show = viewer(daemon, join(dir, 'f.pdf'), pdfOf(pages));
  const [one, two, three] = ['--- Page 1 ---\none\nmore of one\n', '--- Page 2 ---\ntwo\n', '--- Page 3 ---\nthree\n'];
  expect(await show()).toEqual({ text: `${one}${two}${three}`, metadata: null });
  expect((await show({ page_range: [] })).text).toBe(`${one}${two}${three}`);
  expect((await show({ page_range: [2, 3] })).text).toBe(`${two}${three}`);
  expect((await show({ page_range: [2, -1] })).text).toBe(`${two}${three}`);
  expect(await show({ page_range: [1, 1], enable_metadata: true })).toEqual({
    text: one,
    metadata: { file_type: 'pdf', total_pages: 3 },
  });
});

test('[editor-field.slides] a PPTX is viewed as text, by slides in the order of the presentation', async ({
  daemon,
  dir,
}) => {
  const show = viewer(daemon, join(dir, 'f.pptx'), slidesOf([['A &amp; B', 'second'], ['two'], ['three']]));
  const [one, two, three] = ['--- Slide 1 ---\nA & B\nsecond\n', '--- Slide 2 ---\ntwo\n', '--- Slide 3 ---\nthree\n'];
  expect(await show({ enable_metadata: true })).toEqual({
    text: `${one}${two}${three}`,
    metadata: { file_type: 'pptx', total_slides: 3 },
  });
  expect((await show({ slide_range: [2, 2] })).text).toBe(two);
});

test('[editor-field.excel] an Excel file is viewed as text, by sheet and rows', async ({ daemon, dir }) => {
  const rows = [
    ['name', 'count'],
    ['a', 1],
    ['b', 2.5],
  ];
  const show = viewer(daemon, join(dir, 'f.xlsx'), workbookOf({ First: rows, Other: [['x']] }));
  const first = '--- Sheet First (rows 1-3 of 3) ---\n1\tname\tcount\n2\ta\t1\n3\tb\t2.5\n';
  const other = '--- Sheet Other (rows 1-1 of 1) ---\n1\tx\n';
  expect(await show({ enable_metadata: true })).toEqual({
    text: `${first}${other}`,
    metadata: { file_type: 'excel', total_sheets: 2, sheet_names: ['First', 'Other'] },
  });
  expect((await show({ sheet_name: 'Other' })).text).toBe(other);
  const part = await show({ sheet_name: 'First', row_range: [2, 3] });
  expect(part.text).toBe('--- Sheet First (rows 2-3 of 3) ---\n2\ta\t1\n3\tb\t2.5\n');
});

test('[editor-field.metadata] a text file has no metadata, whatever its name', async ({ daemon, dir }) => {
  for (const name of ['f.txt', 'f.pdf', 'f.xlsx']) {
    writeFileSync(join(dir, name), 'text\n');
    const { data } = await view(daemon, join(dir, name), { enable_metadata: true });
    expect([data.output, data.metadata]).toEqual([expect.stringContaining('     1\ttext'), null]);
  }
});

describe('[editor-field.documents-bounded] what cannot be viewed is an error', () => {
  test('invalid documents and ranges', async ({ daemon, dir }) => {
    const cases: [name: string, bytes: Buffer, body: object, message: string][] = [
      ['a.pdf', Buffer.from('%PDF-1.4 and no more'), {}, 'cannot be viewed'],
      ['a.xlsx', Buffer.from('PK\x03\x04 and no more', 'latin1'), {}, 'not a valid Office document'],
      ['b.xlsx', packed({ 'other.xml': '<a/>' }), {}, 'cannot be viewed'],
      ['a.pptx', packed({ 'other.xml': '<a/>' }), {}, 'it has no part'],
      ['b.pptx', slidesOf([['<broken']]), {}, 'not valid XML'],
      ['b.pdf', pdfOf([pageOf('x')]), { page_range: [2, 3] }, 'there are 1 pages'],
      ['c.pdf', pdfOf([pageOf('x')]), { page_range: [1] }, 'a list of two integers'],
      ['c.xlsx', workbookOf({ A: [['x']] }), { sheet_name: 'B' }, 'sheet B not found'],
      ['c.pptx', slidesOf([['x']]), { slide_range: [0, 1] }, 'there are 1 slides'],
    ];
    for (const [name, bytes, body, message] of cases) {
      writeFileSync(join(dir, name), bytes);
      const answer = await view(daemon, join(dir, name), body);
      expect([name, answer.success, answer.data.error_type]).toEqual([name, false, 'bad_request']);
      expect(answer.message).toContain(message);
    }
  });

  test('a page that unpacks to 640 MiB, and parts that unpack to more than they may', async ({ daemon, dir }) => {
    const page = Buffer.alloc(640 * 1024 ** 2, 0x20);
    const filler = ' '.repeat(100 * 1024 ** 2);
    const cases: [name: string, bytes: Buffer, type: string][] = [
      ['bomb.pdf', pdfOf([page]), 'too_large'],
      ['bomb.xlsx', packed({ 'xl/workbook.xml': filler }), 'bad_request'],
      ['bomb.pptx', packed({ 'ppt/presentation.xml': filler }), 'bad_request'],
    ];
    for (const [name, bytes, type] of cases) {
      writeFileSync(join(dir, name), bytes);
      const answer = await view(daemon, join(dir, name));
      expect([name, answer.success, answer.data.error_type]).toEqual([name, false, type]);
      expect((await daemon.inject('/v1/ping')).statusCode).toBe(200);
    }
  });

  test('many cells, which take more memory than a thread may have', async ({ daemon, dir }) => {
    const row = Array.from({ length: 26 }, (_, at) => at);
    writeFileSync(join(dir, 'f.xlsx'), workbookOf({ A: Array.from({ length: 90_000 }, () => row) }));
    const answer = await view(daemon, join(dir, 'f.xlsx'));
    expect(answer).toMatchObject({
      success: false,
      data: { error_type: expect.toBeOneOf(['too_large', 'bad_request']) },
    });
  });
});
