import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { DocumentUnderTest } from './document.fixture.ts';
import { operationsOf, resolved } from './document.ts';

/** Routes that ignore unknown fields and name them in `hint`. */
const OPEN = /^\/v2\/(?:browser\/|computer\/(?:actions|record))/;

test.each([true, false])('[manners.unknown-field] the document of v2 says so with SVC_STRICT=%s', async (strict) => {
  await using daemon = await TestApp.start({ strict });
  const { document } = await DocumentUnderTest.read(daemon, 'v2');
  const bodies = operationsOf(document).flatMap(({ path, method, operation }) => {
    const schema = operation.requestBody?.content['application/json']?.schema;
    const { properties, additionalProperties } = schema ? resolved(document, schema) : {};
    return properties ? [{ route: `${method} ${path}`, isClosed: additionalProperties === false }] : [];
  });
  const ofKind = (isOpen: boolean) => bodies.filter(({ route }) => OPEN.test(route.split(' ')[1] ?? '') === isOpen);
  expect(ofKind(false).filter(({ isClosed }) => isClosed !== strict)).toEqual([]);
  expect(ofKind(true).filter(({ isClosed }) => isClosed)).toEqual([]);
  expect([ofKind(false).length, ofKind(true).length].every((count) => count > 8)).toBe(true);
});

test.each([
  ['post /v2/commands', { command: 'true' }, true],
  ['post /v2/commands', { command: 'true', timeot: 1 }, false],
  ['post /v2/commands', { command: 'true', env: { ANY: 'x' } }, true],
  ['post /v2/browser/navigate', { url: 'about:blank', tab: 'x' }, true],
])('[manners.unknown-field] the document: %s %j is valid: %s', async (route, body, isValid) => {
  await using daemon = await TestApp.start();
  expect((await DocumentUnderTest.read(daemon, 'v2')).admits(route, { body })).toBe(isValid);
});
