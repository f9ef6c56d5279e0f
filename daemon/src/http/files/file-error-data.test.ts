import { constants } from 'node:os';
import { expect, test } from 'vitest';
import { asFileFailure, busyMountPoint, FileFailure, notText } from '../../core/files/file-failure.ts';
import { fileErrorData } from './file-error-data.ts';

function dataOf(failure: Error): Record<string, unknown> {
  if (!(failure instanceof FileFailure)) throw failure;
  return fileErrorData(failure.file);
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
  ['EBUSY not of a mount point', 'EBUSY', 'io_error', 'OSError', 'io'],
])('%s', (_title, code, error_type, exception_type, kind) => {
  const numbers: Readonly<Record<string, number>> = constants.errno;
  const failure = asFileFailure(Object.assign(new Error(`${code}: something`), { code }), 'read', '/x');
  expect(failure).toMatchObject({ kind });
  expect(dataOf(failure)).toMatchObject({
    errno: numbers[code],
    errno_name: code,
    error_type,
    exception_type,
    operation: 'read',
    path: '/x',
  });
});

test('[file-error.keys] all keys are present, also where no system call failed', () => {
  expect(fileErrorData(notText('read', '/x').file)).toEqual({
    errno: null,
    errno_name: null,
    error_type: 'decode_error',
    exception_type: 'UnicodeDecodeError',
    message: 'the file is not UTF-8 text: /x',
    operation: 'read',
    path: '/x',
    retryable: false,
  });
  expect(fileErrorData(busyMountPoint('write', '/x').file)).toMatchObject({
    error_type: 'already_exists',
    errno_name: 'EBUSY',
  });
});
