import { readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { ownIdentity } from '../../../core/account/identity.ts';
import { AccountDirectories } from './account-directories.ts';

test('[limits.code-files] a directory that its account has filled is emptied by a process of the account', async () => {
  await using runtime = await tempDir();
  const emptied = Promise.withResolvers<string[]>();
  using directories = new AccountDirectories(runtime.path, async (_identity, path) => {
    const names = readdirSync(path);
    await rm(path, { recursive: true });
    emptied.resolve(names);
  });
  const directory = directories.make(ownIdentity());
  for (let n = 0; n < 5000; n += 1) writeFileSync(join(directory.path, `f${n}`), '');
  directory[Symbol.dispose]();
  // The main thread has removed a few only.
  expect((await emptied.promise).length).toBeGreaterThan(4900);
});
