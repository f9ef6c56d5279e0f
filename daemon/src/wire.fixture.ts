import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

/** The schemas of 1.x, as existing clients send and parse. */
const WIRE = join(import.meta.dirname, '../../docs/openapi/1.x-wire.json');
const ajv = new Ajv2020({
  strict: false,
  formats: { binary: true, 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) },
});
ajv.addSchema(JSON.parse(readFileSync(WIRE, 'utf8')), 'wire');

/** Fails where a value does not fit the schema of that name. */
export function expectValid(schema: string, value: unknown): void {
  const validate = ajv.getSchema(`wire#/components/schemas/${schema}`);
  if (!validate) throw new Error(`no such schema: ${schema}`);
  expect([schema, validate(value), validate.errors]).toEqual([schema, true, null]);
}
