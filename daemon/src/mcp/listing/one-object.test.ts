import { expect, test } from 'vitest';
import { oneObject } from './one-object.ts';

const part = (type: string, fields: object, required: string[] = []) => ({
  type: 'object',
  properties: { kind: { type: 'string', const: type }, ...fields },
  required: ['kind', ...required],
});

test('[mcp.sizes] a choice of objects by a constant is one object, and requires what all of them require', () => {
  const oneOf = [part('MOVE', { x: { type: 'number' } }, ['x']), part('CLICK', { x: { type: 'integer' }, n: {} })];
  expect(oneObject({ description: 'd', oneOf })).toEqual({
    description: 'd',
    type: 'object',
    properties: { kind: { type: 'string', enum: ['MOVE', 'CLICK'] }, x: { type: 'number' }, n: {} },
    required: ['kind'],
  });
});

test.each([
  { type: 'string' },
  { oneOf: [part('ONE', {})] },
  { oneOf: [part('ONE', {}), { type: 'string' }] },
  { oneOf: [{ type: 'string' }, { type: 'number' }] },
])('[mcp.sizes] another schema stays: %j', (schema) => {
  expect(oneObject(schema)).toBe(schema);
});
