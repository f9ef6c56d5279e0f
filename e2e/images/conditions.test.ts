import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { ROOT } from '../../scripts/root.ts';
import { AXES, type Condition } from '../conditions/conditions.ts';
import { tryCondition } from '../conditions/try-condition.ts';

const USUAL: Condition = { user: 'default', rights: 'default', files: 'writable', memory: 'none', proxy: 'none' };

// Two of those that `npm run test:conditions` tries.
test.concurrent.each([
  [DESKTOP_IMAGE, { user: 'any id, group 0', files: 'read-only with tmpfs' }],
  [DAEMON_IMAGE, { memory: '512 MiB', proxy: 'with a password' }],
])('[images.conditions] %s under %o does what a person and an agent do first', async (image, change) => {
  expect(await tryCondition(image, { ...USUAL, ...change })).toEqual([]);
});

test('[images.conditions] the document has a row for each value that is tried', () => {
  const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  const missing = Object.entries(AXES).flatMap(([axis, values]) =>
    Object.entries(values)
      .filter(([, { row }]) => rows.filter((line) => line.startsWith(`| ${row}`)).length !== 1)
      .map(([value]) => `${axis}: ${value}`),
  );
  expect(missing).toEqual([]);
});
