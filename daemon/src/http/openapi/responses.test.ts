import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { DocumentUnderTest } from './document.fixture.ts';
import { operationsOf, resolved } from './document.ts';

test.each(['v1', 'v2'])('every error of %s is documented as JSON', async (surface) => {
  await using daemon = await TestApp.start();
  const document = await DocumentUnderTest.read(daemon, surface);
  for (const operation of document.operations()) {
    const errors = document.responsesOf(operation).filter(([status]) => Number(status) >= 400);
    for (const [, { content = {} }] of errors) expect(Object.keys(content)).toEqual(['application/json']);
    expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(['400', '403', '431', '500', '503']));
    if (operation.parameters?.length) expect(Object.keys(operation.responses)).toContain('422');
    if (operation.requestBody) expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['413', '422']));
  }
});

test('an error of a tree is not announced as gzip', async () => {
  await using daemon = await TestApp.start();
  const headers = { 'accept-encoding': 'gzip' };
  const answer = await daemon.inject({ url: '/v2/fs/tree?path=/no/such/path', headers });
  expect([answer.statusCode, answer.headers['content-encoding'], answer.headers['content-disposition']]).toEqual([
    404,
    undefined,
    undefined,
  ]);
});

test.each(['/v2/fs/download', '/v2/fs/tree'])('an error of %s is JSON, as the document says', async (route) => {
  await using daemon = await TestApp.start();
  const document = await DocumentUnderTest.read(daemon, 'v2');
  const answer = await daemon.inject(`${route}?path=/no/such/path`);
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  const responses = Object.fromEntries(document.responsesOf(document.operation(`get ${route}`)));
  const { schema = {} } = responses['404']?.content?.['application/json'] ?? {};
  expect(document.matches(schema, answer.json())).toBe(true);
  expect(Object.keys(responses['200']?.content ?? {})).not.toContain('application/json');
});

test('a download documents a range and a file that has not changed', async () => {
  await using daemon = await TestApp.start();
  const document = await DocumentUnderTest.read(daemon, 'v2');
  const responses = Object.fromEntries(document.responsesOf(document.operation('get /v2/fs/download')));
  expect([responses['206']?.content, responses['304']?.content]).toEqual([responses['200']?.content, undefined]);
});

test('[manners.list-shapes] the lists that are arrays themselves are those that the document names', async () => {
  await using daemon = await TestApp.start();
  const { document } = await DocumentUnderTest.read(daemon, 'v2');
  const named = ['tabs', 'downloads', 'cookies', 'network/requests'].map((list) => `/v2/browser/${list}`);
  const arrays = operationsOf(document).flatMap(({ path, operation }) => {
    const answer = operation.responses['200'];
    const schema =
      answer !== undefined && 'content' in answer ? answer.content?.['application/json']?.schema : undefined;
    const { data } = (schema && resolved(document, schema).properties) ?? {};
    return data !== undefined && resolved(document, data).type === 'array' ? [path] : [];
  });
  expect(new Set(arrays)).toEqual(new Set(named));
  for (const list of named) expect(JSON.stringify(document['info'])).toContain(list.slice('/v2/browser/'.length));
});
