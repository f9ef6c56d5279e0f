import { existsSync, lstatSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lookUpIdentity } from '../account/identity.ts';
import { Ownership } from './ownership.ts';
import { makeDirectories, makeOneDirectory } from './place/make-directories.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ownership-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('without an account, what is created is the own of the daemon', () => {
  expect(new Ownership(undefined).of({})).toBeUndefined();
  expect(new Ownership(undefined).of({ sudo: true })).toBeUndefined();
});

test('an account that does not exist is refused', () => {
  expect(() => new Ownership(undefined).of({ user: 'no-such-account' })).toThrow('user does not exist');
  expect(() => new Ownership('no-such-account').of({})).toThrow('user does not exist');
});

test('directories are made with what is missing above them, and an existing one is left alone', () => {
  const path = join(directory, 'a/b/c/');
  expect(makeDirectories(path, undefined)).toBe(true);
  expect(makeDirectories(path, undefined)).toBe(false);
  expect(makeDirectories('/', undefined)).toBe(false);
  writeFileSync(join(directory, 'file'), '');
  expect(() => makeDirectories(join(directory, 'file'), undefined)).toThrow('EEXIST');
  expect(() => makeDirectories(join(directory, 'file/x'), undefined)).toThrow('ENOTDIR');
  symlinkSync(join(directory, 'a/b'), join(directory, 'link'));
  expect(makeDirectories(join(directory, 'link/d'), undefined)).toBe(true);
  expect(existsSync(join(directory, 'a/b/d'))).toBe(true);
  symlinkSync(join(directory, 'gone'), join(directory, 'dangling'));
  expect(() => makeDirectories(join(directory, 'dangling/x'), undefined)).toThrow('EEXIST');
});

describe.runIf(process.getuid?.() === 0)('as root (left out for any other account)', () => {
  const nobody = process.getuid?.() === 0 ? lookUpIdentity('nobody') : undefined;

  test('what is created belongs to the account, parents included, and only what is created', () => {
    const owner = new Ownership('nobody').of({});
    expect(owner).toEqual({ uid: nobody?.uid, gid: nobody?.gid });
    makeDirectories(join(directory, 'a/b'), owner);
    for (const path of ['a', 'a/b']) {
      expect(lstatSync(join(directory, path))).toMatchObject({ uid: nobody?.uid, gid: nobody?.gid });
    }
    makeOneDirectory(join(directory, 'c'), undefined);
    makeDirectories(join(directory, 'c'), owner);
    expect(lstatSync(join(directory, 'c')).uid).toBe(0);
  });

  test('the account that is asked for comes before sudo, sudo before the default', () => {
    const ownership = new Ownership('daemon');
    expect(ownership.of({ user: 'nobody', sudo: true })).toMatchObject({ uid: nobody?.uid });
    expect(ownership.of({ sudo: true })).toBeUndefined();
    expect(ownership.of({})).toMatchObject({ uid: lookUpIdentity('daemon').uid });
  });
});
