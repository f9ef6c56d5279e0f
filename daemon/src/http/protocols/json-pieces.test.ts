import { expect, test } from 'vitest';
import { turnsDuring } from '../turns.fixture.ts';
import { jsonPieces } from './json-pieces.ts';

test('pieces are the JSON of the object, also where a character is cut', async () => {
  const value = {
    a: null,
    b: [1, 'x'],
    c: {},
    d: { long: '😀'.repeat(30_000), odd: `x${'😀'.repeat(30_000)}` },
    e: true,
  };
  let text = '';
  for await (const piece of jsonPieces(value)) text += piece;
  expect(JSON.parse(text)).toEqual(value);
});

test('other requests have their turns while the JSON of a long text is made', async () => {
  const value = { text: '\0'.repeat(8_000_000) };
  const turns = await turnsDuring(async () => {
    let length = 0;
    for await (const piece of jsonPieces(value)) length += piece.length;
    expect(length).toBe(48_000_000 + '{"text":""}'.length);
  });
  expect(turns).toBeGreaterThan(3);
});
