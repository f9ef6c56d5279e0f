import { chownSync, lstatSync } from 'node:fs';
import { mkdtempDisposable, symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lookUpIdentity } from '../../core/account/identity.ts';
import { Accounts } from './accounts.ts';
import { entryOf } from './files/entries.ts';

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

test.runIf(process.getuid?.() === 0)(
  '[e2b.owner] what belongs to the default account has the owner user, and root keeps its name (runs as root)',
  async () => {
    await using temporary = await mkdtempDisposable(join(tmpdir(), 'e2b-owner-'));
    const games = lookUpIdentity('games');
    const ownerOf = (user: string | undefined, path: string): readonly [string, string] => {
      const accounts = new Accounts(user, process.platform, () => NO_INIT);
      const { owner, group } = entryOf(path, lstatSync(path), accounts.namedUser);
      return [String(owner), String(group)];
    };
    expect(ownerOf(undefined, temporary.path)).toEqual(['root', 'root']);
    expect(ownerOf('games', temporary.path)).toEqual(['root', 'root']);
    chownSync(temporary.path, games.uid, 0);
    expect(ownerOf('games', temporary.path)).toEqual(['user', 'root']);
    chownSync(temporary.path, games.uid, games.gid);
    expect(ownerOf('games', temporary.path)).toEqual(['user', 'user']);
    expect(ownerOf('nobody', temporary.path)).toEqual(['games', lookUpIdentity('games').name]);
  },
);
