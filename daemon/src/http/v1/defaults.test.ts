import { expect, test } from 'vitest';
import { TRUNCATED } from '../../capabilities/pty/v1/wire.ts';
import { schemaOfField } from '../../openapi-field.fixture.ts';

test.each([
  ['post /v1/bash/exec', 'timeout', undefined],
  ['post /v1/bash/kill', 'signal', 'SIGTERM'],
])('the default of %s, %s is %j', async (route, field, fallback) => {
  expect((await schemaOfField('v1', route, field))['x-default']).toBe(fallback);
});

test('a response of a terminal has at most 30,000 characters of output', () => {
  expect(TRUNCATED).toBe(30_000);
});
