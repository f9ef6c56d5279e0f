import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, post, test } from './files.fixture.ts';

test('an atomic write keeps the set-user-id, set-group-id and sticky bits of the file', async ({ daemon, dir }) => {
  const path = join(dir, 'f');
  writeFileSync(path, 'old');
  chmodSync(path, 0o7751);
  await post(daemon, 'write', { path, content: 'new', atomic: true });
  expect(statSync(path).mode & 0o7777).toBe(0o7751);
});
