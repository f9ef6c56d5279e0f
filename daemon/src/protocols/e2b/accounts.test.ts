import { mkdtempDisposable, symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Accounts } from './accounts.ts';

const NO_INIT = { envVars: {}, user: null, workdir: null, accessToken: null };

test("[e2b.filesystem] the home has E2B's name if the machine has a link of that name", async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'e2b-home-'));
  const directory = temporary.path;
  const link = join(directory, 'user');
  const before = new Accounts(undefined, process.platform, () => NO_INIT, link);
  expect(before.pathOf('a.txt', undefined)).toBe(join(homedir(), 'a.txt'));
  await symlink(directory, link);
  expect(before.homeOf(undefined)).toBe(homedir());
  const other = join(directory, 'home');
  await symlink(homedir(), other);
  const linked = new Accounts(undefined, process.platform, () => NO_INIT, other);
  expect([linked.pathOf('a.txt', undefined), linked.pathOf('~/b', undefined)]).toEqual([
    join(other, 'a.txt'),
    join(other, 'b'),
  ]);
});
