import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { DocumentUnderTest } from './document.fixture.ts';

interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Operations whose path parameter comes from the caller, such as a port of a program of its own. */
const OF_CALLERS = new Set(['connectPort', 'readTimelineState', 'signalSystemProcess']);

test.each(['v1', 'v2'])(
  'every operation of %s has an id, a described tag and the ways to authenticate',
  async (name) => {
    await using daemon = await TestApp.start();
    const described = await DocumentUnderTest.read(daemon, name);
    const { document } = described;
    const operations = described.operations();
    const ids = operations.map(({ operationId = '' }) => operationId);
    expect(ids.filter((id) => !/^[a-z]+(?:[A-Z][a-z0-9]+)*$/.test(id))).toEqual([]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const tags = document['tags'] as readonly { name: string; description: string }[];
    expect(tags.filter((tag) => tag.description === tag.name)).toEqual([]);
    expect(Object.keys(document.components['securitySchemes'] as object)).toEqual([
      'bearer',
      'apiKeyHeader',
      'apiKeyQuery',
      'ticket',
    ]);
  },
);

test.each(['v1', 'v2'])('every link of %s names an operation and one of its parameters', async (name) => {
  await using daemon = await TestApp.start();
  const document = await DocumentUnderTest.read(daemon, name);
  const operations = document.operations();
  const links = operations.flatMap((operation) =>
    document.responsesOf(operation).flatMap(([, { links = {} }]) => Object.values(links as Record<string, Link>)),
  );
  expect(links.length).toBeGreaterThan(5);
  for (const { operationId, parameters } of links) {
    const target = operations.find((operation) => operation.operationId === operationId);
    const known = target?.parameters?.map((parameter) => parameter.name);
    expect([operationId, known]).toEqual([operationId, expect.arrayContaining(Object.keys(parameters))]);
  }
  const linked = new Set(links.map(({ operationId }) => operationId));
  const unlinked = operations.filter(({ operationId = '', parameters = [] }) => {
    return (
      parameters.some((parameter) => parameter.in === 'path') &&
      !linked.has(operationId) &&
      !OF_CALLERS.has(operationId)
    );
  });
  expect(unlinked.map(({ operationId }) => operationId)).toEqual([]);
});
