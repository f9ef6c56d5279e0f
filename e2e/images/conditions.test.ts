import { expect, test } from 'vitest';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import type { Condition } from '../conditions/conditions.ts';
import { tryCondition } from '../conditions/try-condition.ts';

const USUAL: Condition = { user: 'default', rights: 'default', files: 'writable', memory: 'none', proxy: 'none' };

// Two of those that `npm run test:conditions` tries.
test.concurrent.each([
  [DESKTOP_IMAGE, { user: 'any id, group 0', files: 'read-only with tmpfs' }],
  [DAEMON_IMAGE, { memory: '1 GiB', proxy: 'with a password' }],
])('[images.conditions] %s under %o does what a person and an agent do first', async (image, change) => {
  expect(await tryCondition(image, { ...USUAL, ...change })).toEqual([]);
});
