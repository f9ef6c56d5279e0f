import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { DocumentUnderTest } from './document.fixture.ts';
import { type Operation, operationsOf } from './document.ts';

/** Hundreds of requests, on a machine that may be busy. */
const PATIENCE = { timeout: 300_000 };
/** A flag without a value is set, for probes that cannot write more. */
const MAY_BE_EMPTY = ['get /health ready'];
/** Text that `Number` reads as a number, and JSON does not. */
const NO_NUMBERS = ['', ' ', '0x10', '0b1', 'Infinity', '1_000', '1e'];

test.each(['v1', 'v2'])(
  '[openapi.numbers] every number of a query of %s refuses other text, and names the field',
  PATIENCE,
  async (surface) => {
    await using daemon = await TestApp.start();
    const { document } = await DocumentUnderTest.read(daemon, surface);
    const numbers = operationsOf(document).flatMap(({ path, method, operation }) =>
      numbersOf(operation).map((name) => ({ method, path: path.replaceAll(/\{\w+\}/g, 'none'), name })),
    );
    expect(numbers.length).toBeGreaterThan(surface === 'v2' ? 20 : 3);
    for (const { method, path, name } of numbers) {
      for (const text of NO_NUMBERS) {
        const answer = await daemon.app.inject({
          method: method.toUpperCase() as 'GET',
          url: path,
          query: { [name]: text },
        });
        const fields = (answer.json().errors ?? []).map(({ location }: { location: string[] }) => location.join('.'));
        expect([method, path, text, answer.statusCode, fields]).toEqual([
          method,
          path,
          text,
          422,
          expect.arrayContaining([`query.${name}`]),
        ]);
      }
    }
  },
);

test('[manners.empty-values] no field of a query of v2 may be empty', async () => {
  await using daemon = await TestApp.start();
  const document = await DocumentUnderTest.read(daemon, 'v2');
  const empty = operationsOf(document.document).flatMap(({ path, method, operation }) =>
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'query' && document.matches(parameter.schema, ''))
      .map(({ name }) => `${method} ${path} ${name}`),
  );
  expect(empty).toEqual(MAY_BE_EMPTY);
});

test.each([
  ['GET', '/v2/commands?limit=', 'limit'],
  ['GET', '/v2/fs/list?path=/&cursor=', 'cursor'],
  ['GET', '/v2/fs/list?path=/&recursive=', 'recursive'],
  ['GET', '/v2/fs/stat?path_b64=', 'path_b64'],
  ['GET', '/v2/browser/cookies?domain=', 'domain'],
  ['GET', '/v2/browser/cookies?url=', 'url'],
  ['DELETE', '/v2/browser/cookies?url=', 'url'],
  ['DELETE', '/v1/browser/cookies?name=', 'name'],
] as const)('[manners.empty-values] %s %s is refused, and the field is named', async (method, url, name) => {
  await using daemon = await TestApp.start();
  const answer = await daemon.inject({ method, url });
  const message = `query.${name}: is empty: give it a value, or leave it out`;
  expect([answer.statusCode, answer.json().message]).toEqual([422, message]);
});

test.each(['7', '+7', '07', '7.0', '7.', '.7e1', '70e-1'])(
  '[openapi.numbers] a query may write a number as %s',
  async (text) => {
    await using daemon = await TestApp.start();
    expect((await daemon.app.inject({ url: '/v2/commands', query: { limit: text } })).statusCode).toBe(200);
  },
);

function numbersOf({ parameters = [] }: Operation): string[] {
  return parameters
    .filter((parameter) => parameter.in === 'query' && ['integer', 'number'].includes(String(parameter.schema.type)))
    .map(({ name }) => name);
}
