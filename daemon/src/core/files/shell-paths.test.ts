import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { lookUpIdentity } from '../account/identity.ts';
import { ShellPaths } from './shell-paths.ts';

const home = mkdtempSync(join(tmpdir(), 'home-'));
vi.stubEnv('HOME', home);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

const root = lookUpIdentity('root').home;

test.each([
  ['~', home],
  ['~/', home],
  ['~/a', `${home}/a`],
  ['~//a/', `${home}/a/`],
  ['~root', root],
  ['~root/x/../y', `${root}/x/../y`],
  ['a', `${home}/a`],
  ['./a', `${home}/a`],
  ['././/a', `${home}/a`],
  ['.', home],
  ['./', home],
  ['..', `${home}/..`],
  ['.a', `${home}/.a`],
  ['a/~', `${home}/a/~`],
  ['./~root', `${home}/~root`],
  ['/~/a', '/~/a'],
  ['//a', '//a'],
  ['', ''],
  ['a\nb', `${home}/a\nb`],
  ['~/a\nb', `${home}/a\nb`],
])('[manners.shell-paths] %j is %s', (given, absolute) => {
  expect(new ShellPaths().resolve(given)).toBe(absolute);
});

test('[manners.shell-paths] the account that a call names, the default one, and a directory change what a path means', () => {
  expect(new ShellPaths().resolve('~/a', { user: 'root' })).toBe(`${root}/a`);
  expect(new ShellPaths('root').resolve('a')).toBe(`${root}/a`);
  expect(new ShellPaths().resolve('a', { directory: '/' })).toBe('/a');
  expect(new ShellPaths().resolve('~/a', { directory: '/d' })).toBe(`${home}/a`);
  expect(new ShellPaths().resolve('../a', { directory: '/d/' })).toBe('/d/../a');
});

test('[manners.shell-paths] a home that does not exist: ~ is it, and relative paths begin at the root, as a shell does', () => {
  vi.stubEnv('HOME', '/no/such');
  expect([new ShellPaths().resolve('~/a'), new ShellPaths().resolve('a')]).toEqual(['/no/such/a', '/a']);
  vi.stubEnv('HOME', home);
});

test('[manners.shell-paths] an account that does not exist is refused, a path in base64 is absolute', () => {
  const paths = new ShellPaths();
  expect(() => paths.of({ path: '~no-such-account/a' }, 'read')).toThrow('no account has the name of ~no-such-account');
  const base64 = Buffer.from('~/a').toString('base64');
  expect(() => paths.of({ base64 }, 'read')).toThrow('path is not absolute: ~/a');
  expect(() => paths.of({ path: 'a', base64 }, 'read')).toThrow('path is not absolute: ~/a');
  expect(() => paths.of({ path: 'a\0' }, 'read')).toThrow('contains NUL');
});
