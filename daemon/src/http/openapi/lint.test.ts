import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

/** Findings that stand, each with its reason. */
const ACCEPTED: readonly { readonly rule: string; readonly at: RegExp; readonly because: string }[] = [
  {
    rule: 'operation-2xx-response',
    at: /(?:ws|~1attach|~1connect)\/get\/responses$/,
    because: 'a WebSocket answers 101',
  },
  {
    rule: 'no-ambiguous-paths',
    at: /\/paths\/~1v2~1commands~1(?:sessions~1\{session_id\}|\{command_id\}~1stdin)$/,
    because: 'the paths have no method in common, and no command has the id sessions',
  },
];

test.each(['v1', 'v2'])('the recommended rules of the linter find nothing in the document of %s', async (surface) => {
  await using daemon = await TestApp.start();
  const source = (await daemon.inject(`/${surface}/openapi.json`)).body;
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: `/${surface}.json`, config });
  const found = problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    at: location[0]?.pointer ?? '',
    message,
  }));
  const accepted = ({ rule, at }: { rule: string; at: string }) =>
    ACCEPTED.some((entry) => entry.rule === rule && entry.at.test(at));
  expect(found.filter((problem) => !accepted(problem))).toEqual([]);
  expect(found.length).toBeGreaterThan(0);
});
