import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openapiDocument } from '../../daemon/src/openapi-document.ts';
import { ROOT } from '../root.ts';
import { errorAnswers } from './error-answers.ts';
import { ERROR_KINDS } from './error-kinds.ts';
import { errorsPage } from './errors-page.ts';

test('[manners.errors-page] [manners.hint] docs/errors.md is what the service answers (npm run docs writes it)', async () => {
  const answers = await errorAnswers();
  expect(await readFile(join(ROOT, 'docs/errors.md'), 'utf8')).toBe(errorsPage(answers));
  // Each example has its status and a hint.
  for (const [kind, { status, message, hint }] of answers) {
    expect([kind.example.url, status, typeof message, typeof hint]).toEqual([
      kind.example.url,
      kind.status,
      'string',
      'string',
    ]);
    expect(hint).not.toBe('');
  }
});

test.each(['v1', 'v2'] as const)(
  '[manners.errors-page] each status that the document of %s has is a kind',
  async (of) => {
    const { paths } = (await openapiDocument(of)) as { paths: Record<string, Record<string, { responses?: object }>> };
    const statuses = Object.values(paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ responses = {} }) => Object.keys(responses).map(Number));
    const kinds = new Set(ERROR_KINDS.map(({ status }) => status));
    expect([...new Set(statuses)].filter((status) => status >= 400 && !kinds.has(status))).toEqual([]);
  },
);
