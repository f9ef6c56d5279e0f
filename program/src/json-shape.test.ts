import { expect, test } from 'vitest';
import { jsonExcess } from './json-shape.ts';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

test('[limits.json] 100 levels and 131,072 values are no excess, one more is', () => {
  expect(jsonExcess(nested(100))).toBeUndefined();
  expect(jsonExcess(nested(101))).toMatch(/^more than 100 arrays/);
  expect(jsonExcess(`[${'1,'.repeat(131_071)}1]`)).toBeUndefined();
  expect(jsonExcess(`[${'1,'.repeat(131_072)}1]`)).toMatch(/^more than 131072 values/);
});

test('[limits.json] other bounds take their place', () => {
  const bounds = { depth: 200, values: 300 };
  expect(jsonExcess(nested(200), bounds)).toBeUndefined();
  expect(jsonExcess(nested(201), bounds)).toMatch(/^more than 200 arrays/);
  expect(jsonExcess(`[${'1,'.repeat(300)}1]`, bounds)).toMatch(/^more than 300 values/);
});

test('[limits.json] what strings contain does not count', () => {
  const text = `${'['.repeat(200)}${','.repeat(200_000)}"\\`;
  expect(jsonExcess(JSON.stringify({ text }))).toBeUndefined();
  expect(jsonExcess(JSON.stringify([text, '\\'.repeat(3)]) + nested(101))).toMatch(/^more than 100/);
  expect(jsonExcess(`"${'['.repeat(200)}`)).toBeUndefined();
  for (const end of ['\\', '\\\\\\', '"', '\\"', '\\\\"']) {
    expect([end, jsonExcess(JSON.stringify([`x${end}`, '['.repeat(200)]))]).toEqual([end, undefined]);
  }
});
