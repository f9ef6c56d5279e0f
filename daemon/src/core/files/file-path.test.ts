import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileFailure } from './file-failure.ts';
import {
  absolutePath,
  comparePaths,
  exactPath,
  type FilePath,
  isWithin,
  joinPath,
  latin1Of,
  nameOf,
  namesIn,
  namesInSync,
  parentOf,
  pathOfBytes,
  pathOfLatin1,
  samePath,
  shownPath,
} from './file-path.ts';

const BYTES = Buffer.from([0x2f, 0x61, 0xff]);

test.each([
  [{ path: '' }, 'path is empty'],
  [{}, 'path is empty'],
  [{ path: 'a/b' }, 'path is not absolute: a/b'],
  [{ path: '~/a' }, 'path is not absolute: ~/a'],
  [{ path: '/a\0b' }, 'path contains NUL'],
  [{ base64: Buffer.from('/a\0\xff', 'latin1').toString('base64') }, 'path contains NUL'],
  [{ path: '/a', base64: Buffer.from('b').toString('base64') }, 'path is not absolute: b'],
])('[file-error.invalid-path] %j is refused', (input, message) => {
  const refused = (): unknown => {
    try {
      return absolutePath(input, 'read');
    } catch (error) {
      return error;
    }
  };
  const failure = refused();
  expect(failure).toBeInstanceOf(FileFailure);
  expect(failure).toMatchObject({ kind: 'invalid', file: { errorType: 'invalid_path', message, operation: 'read' } });
});

test('a path that is not UTF-8 is bytes, shows with U+FFFD and has an exact form', () => {
  const path = absolutePath({ path: '/ignored', base64: BYTES.toString('base64') }, 'read');
  expect(path).toEqual(BYTES);
  expect(shownPath(path)).toBe('/a\ufffd');
  expect(Buffer.from(exactPath(path) ?? '', 'base64')).toEqual(BYTES);
  expect(exactPath('/ä')).toBeUndefined();
  expect(absolutePath({ base64: Buffer.from('/ä').toString('base64') }, 'read')).toBe('/ä');
});

test('paths are taken apart and joined as text or as bytes', () => {
  expect(joinPath('/', 'a')).toBe('/a');
  expect(joinPath('/a', 'b')).toBe('/a/b');
  expect(joinPath('/a/', Buffer.from([0xff]))).toEqual(Buffer.from('/a/\xff', 'latin1'));
  expect([parentOf('/a/b/'), parentOf('/a'), parentOf('/'), parentOf('/a//b')]).toEqual(['/a', '/', '/', '/a']);
  expect([nameOf('/a/b/'), nameOf('/')]).toEqual(['b', '']);
  expect(nameOf(BYTES)).toEqual(Buffer.from([0x61, 0xff]));
  expect(parentOf(Buffer.from('/a\xff/b', 'latin1'))).toEqual(BYTES);
  expect([isWithin('/a/b', '/a'), isWithin('/a', '/a/'), isWithin('/ab', '/a'), isWithin('/a', '/')]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect([samePath(BYTES, Buffer.from(BYTES)), samePath('/a', BYTES)]).toEqual([true, false]);
});

test('names sort by their bytes, whatever they are made of', () => {
  const names: FilePath[] = ['\u{1f600}', '\uffee', 'b', pathOfBytes(Buffer.from([0x62, 0xff])), 'B'];
  const bytes = (all: FilePath[]): string[] => all.map((name) => Buffer.from(name as string).toString('hex'));
  expect(bytes([...names].sort(comparePaths))).toEqual(bytes(names).sort());
});

test('a directory lists names that are not UTF-8, and U+FFFD itself, as they are', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'paths-'));
  try {
    const names: FilePath[] = ['plain', '\ufffd', Buffer.from([0x61, 0xff])];
    for (const name of names) await writeFile(joinPath(directory, name), '');
    const listed = (await namesIn(directory)).sort(comparePaths);
    expect(listed).toEqual([...names].sort(comparePaths));
    expect(namesInSync(directory).sort(comparePaths)).toEqual(listed);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test.each([
  ['plain', 'a b/~c.txt', 'a b/~c.txt'],
  ['of other letters', 'ä/日本', Buffer.from('ä/日本').toString('latin1')],
  ['of bytes that are no text', Buffer.from([0x61, 0xff, 0x2f]), 'a\xff/'],
  ['with control characters', 'a\tb\x7f', 'a\tb\x7f'],
])('a path %s comes back from a character a byte', (_what, path, text) => {
  expect(latin1Of(path)).toBe(text);
  expect(pathOfLatin1(text)).toEqual(path);
});
