import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '../files.fixture.ts';
import { packed, pageOf, pdfOf } from './documents.fixture.ts';
import { documentKindOf, READ_MS, readDocument } from './read-document.ts';

const never = new AbortController().signal;

test('[editor-field.documents-bounded] a document that takes longer than its time is an error', async ({ dir }) => {
  expect(READ_MS).toBe(30_000);
  const path = join(dir, 'f.pdf');
  writeFileSync(path, pdfOf([pageOf('x')]));
  expect(await documentKindOf(path)).toBe('pdf');
  await expect(readDocument(path, 'pdf', {}, never, { readMs: 0 })).rejects.toThrow('too much time or memory');
});

test('an archive without the parts of a presentation is an error', async ({ dir }) => {
  const path = join(dir, 'f.pptx');
  writeFileSync(path, packed({ 'other.xml': '<a/>' }));
  expect(await documentKindOf(path)).toBe('slides');
  await expect(readDocument(path, 'slides', {}, never)).rejects.toThrow('it has no part');
});
