import { execFileSync } from 'node:child_process';
import { userInfo } from 'node:os';
import process from 'node:process';
import { expect, test } from 'vitest';
import { lookUpIdentity, ownIdentity, requireRunnableAs, sameRights } from './identity.ts';

const linux = process.platform === 'linux';
const number = (...args: string[]): number => Number(execFileSync('id', args, { encoding: 'utf8' }));
const own = ownIdentity();
const nobody = { ...own, name: 'nobody', uid: own.uid + 1 };

test('the own account is the one that id prints', () => {
  expect(own).toMatchObject({ uid: number('-u'), gid: number('-g') });
  const groups = execFileSync('id', ['-G'], { encoding: 'utf8' }).trim().split(' ').map(Number);
  expect([...own.groups].sort()).toEqual(groups.sort());
});

test('the home of the own account is HOME of the daemon', () => {
  const program = `import { ownIdentity } from ${JSON.stringify(import.meta.resolve('./identity.ts'))};
    process.stdout.write(ownIdentity().home);`;
  const run = (env: NodeJS.ProcessEnv): string =>
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', env });
  expect(run({ ...process.env, HOME: '/elsewhere' })).toBe('/elsewhere');
  const { HOME: _, ...rest } = process.env;
  expect(run(rest)).toBe(userInfo().homedir);
});

test.runIf(linux)('an account is found by name and by uid, with what id says of it', () => {
  const games = lookUpIdentity('games');
  expect(games).toMatchObject({ name: 'games', uid: number('-u', 'games'), gid: number('-g', 'games') });
  const groups = execFileSync('id', ['-G', 'games'], { encoding: 'utf8' }).trim().split(' ').map(Number);
  expect([...games.groups].sort()).toEqual(groups.sort());
  expect(lookUpIdentity(String(games.uid))).toEqual(games);
});

test('an account that does not exist is refused by name', () => {
  expect(() => lookUpIdentity('no-such-account')).toThrow(
    expect.objectContaining({ kind: 'invalid', message: 'user does not exist: no-such-account' }),
  );
  expect(() => lookUpIdentity('4000000001')).toThrow('user does not exist');
  expect(() => lookUpIdentity('')).toThrow('user does not exist');
});

test('root may run as any account, other accounts only as themselves', () => {
  requireRunnableAs(nobody, { ...own, uid: 0 });
  requireRunnableAs(nobody, nobody);
  expect(() => requireRunnableAs({ ...nobody, name: 'x' }, { ...own, name: 'me', uid: own.uid + 2 })).toThrow(
    expect.objectContaining({ kind: 'forbidden', message: 'the daemon runs as me and cannot run commands as x' }),
  );
});

test('rights are uid, gid and the set of groups', () => {
  expect(sameRights(own, { ...own, groups: [...own.groups].reverse() })).toBe(true);
  expect(sameRights(own, { ...own, groups: [...own.groups, 12_345] })).toBe(false);
  expect(sameRights(own, { ...own, gid: own.gid + 1 })).toBe(false);
  expect(sameRights(own, nobody)).toBe(false);
});
