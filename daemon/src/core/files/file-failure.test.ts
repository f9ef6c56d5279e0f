import { openSync } from 'node:fs';
import { constants } from 'node:os';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { expect, test } from 'vitest';
import { asFileFailure, busyMountPoint, FileFailure, notText, overCap, systemCodeOf } from './file-failure.ts';

function thrownWith(code: string): Error {
  return Object.assign(new Error(`${code}: something`), { code });
}

test('[file-error.retryable] errors that may be temporary are retryable', () => {
  const all = Object.keys(constants.errno);
  const retryable = all.filter((code) => {
    const failure = asFileFailure(thrownWith(code), 'read', '/x');
    return failure instanceof FileFailure && failure.file.retryable;
  });
  expect(retryable.sort()).toEqual(['EAGAIN', 'EBUSY', 'EINTR', 'EMFILE', 'ENFILE', 'ETXTBSY']);
});

test('a cap, a mount point and a file that is not text have errors of their own', () => {
  expect(notText('read', '/x').file).toMatchObject({ errno: null, errnoName: null, errorType: 'decode_error' });
  expect(overCap('too much', 'read', '/x')).toMatchObject({ kind: 'too_large' });
  expect(busyMountPoint('write', '/x').file).toMatchObject({ errorType: 'already_exists', errnoName: 'EBUSY' });
});

test('an error that no system call caused is returned unchanged', () => {
  const defect = new TypeError('a defect');
  const known = new SandboxError('conflict', 'known');
  expect(asFileFailure(defect, 'read', '/x')).toBe(defect);
  expect(asFileFailure(known, 'read', '/x')).toBe(known);
  expect(systemCodeOf(Object.assign(new Error(), { code: 'ERR_INVALID_ARG_TYPE' }))).toBeUndefined();
});

test('the failure of a system call keeps its cause', () => {
  try {
    openSync('/nowhere/at/all', 'r');
    expect.unreachable();
  } catch (error) {
    const failure = asFileFailure(error, 'read', '/nowhere/at/all');
    expect(failure.cause).toBe(error);
    expect(failure.message).toBe('read failed: no such file or directory (ENOENT): /nowhere/at/all');
  }
});
