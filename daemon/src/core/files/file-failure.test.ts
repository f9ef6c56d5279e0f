import { openSync } from 'node:fs';
import { constants } from 'node:os';
import { expect, test } from 'vitest';
import { SandboxError } from '../errors.ts';
import { asFileFailure, busyMountPoint, FileFailure, notText, overCap, systemCodeOf } from './file-failure.ts';

function thrownWith(code: string): Error {
  return Object.assign(new Error(`${code}: something`), { code });
}

test.each([
  ['[file-error.not-found] ENOENT', 'ENOENT', 'not_found', 'FileNotFoundError', 'not_found'],
  ['[file-error.permission-denied] EACCES', 'EACCES', 'permission_denied', 'PermissionError', 'forbidden'],
  ['EPERM', 'EPERM', 'permission_denied', 'PermissionError', 'forbidden'],
  ['[file-error.already-exists] EEXIST', 'EEXIST', 'already_exists', 'FileExistsError', 'conflict'],
  ['ENOTEMPTY', 'ENOTEMPTY', 'already_exists', 'FileExistsError', 'conflict'],
  ['[file-error.invalid-target] EISDIR', 'EISDIR', 'invalid_target', 'IsADirectoryError', 'invalid'],
  ['ENOTDIR', 'ENOTDIR', 'invalid_target', 'NotADirectoryError', 'invalid'],
  ['ENXIO', 'ENXIO', 'invalid_target', 'IsADirectoryError', 'invalid'],
  ['EINVAL', 'EINVAL', 'invalid_path', 'ValueError', 'invalid'],
  ['ENAMETOOLONG', 'ENAMETOOLONG', 'invalid_path', 'OSError', 'invalid'],
  ['ELOOP', 'ELOOP', 'invalid_path', 'OSError', 'invalid'],
  ['[file-error.too-large] EFBIG', 'EFBIG', 'too_large', 'ValueError', 'too_large'],
  ['[file-error.read-only] EROFS', 'EROFS', 'read_only_filesystem', 'OSError', 'forbidden'],
  ['[file-error.no-space-left] ENOSPC', 'ENOSPC', 'no_space_left', 'OSError', 'disk_full'],
  ['EDQUOT', 'EDQUOT', 'no_space_left', 'OSError', 'disk_full'],
  ['[file-error.io-error] EIO', 'EIO', 'io_error', 'OSError', 'io'],
  ['EBUSY of anything but a mount point', 'EBUSY', 'io_error', 'OSError', 'io'],
])('%s', (_title, code, error_type, exception_type, kind) => {
  const numbers: Readonly<Record<string, number>> = constants.errno;
  const failure = asFileFailure(thrownWith(code), 'read', '/x');
  expect(failure).toMatchObject({ kind });
  expect(failure).toMatchObject({
    file: { errno: numbers[code], errno_name: code, error_type, exception_type, operation: 'read', path: '/x' },
  });
});

test('[file-error.retryable] what may pass is retryable', () => {
  const all = Object.keys(constants.errno);
  const retryable = all.filter((code) => {
    const failure = asFileFailure(thrownWith(code), 'read', '/x');
    return failure instanceof FileFailure && failure.file.retryable;
  });
  expect(retryable.sort()).toEqual(['EAGAIN', 'EBUSY', 'EINTR', 'EMFILE', 'ENFILE', 'ETXTBSY']);
});

test('[file-error.keys] all keys are there, also where no system call failed', () => {
  expect(notText('read', '/x').file).toEqual({
    errno: null,
    errno_name: null,
    error_type: 'decode_error',
    exception_type: 'UnicodeDecodeError',
    message: 'the file is not UTF-8 text: /x',
    operation: 'read',
    path: '/x',
    retryable: false,
  });
  expect(overCap('too much', 'read', '/x')).toMatchObject({ kind: 'too_large' });
  expect(busyMountPoint('write', '/x').file).toMatchObject({ error_type: 'already_exists', errno_name: 'EBUSY' });
});

test('what no system call caused stays what it is', () => {
  const defect = new TypeError('a defect');
  const known = new SandboxError('conflict', 'known');
  expect(asFileFailure(defect, 'read', '/x')).toBe(defect);
  expect(asFileFailure(known, 'read', '/x')).toBe(known);
  expect(systemCodeOf(Object.assign(new Error(), { code: 'ERR_INVALID_ARG_TYPE' }))).toBeUndefined();
});

test('a real failure keeps its cause', () => {
  try {
    openSync('/nowhere/at/all', 'r');
    expect.unreachable();
  } catch (error) {
    const failure = asFileFailure(error, 'read', '/nowhere/at/all');
    expect(failure.cause).toBe(error);
    expect(failure.message).toBe('read failed: no such file or directory (ENOENT): /nowhere/at/all');
  }
});
