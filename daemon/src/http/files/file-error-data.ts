import { snakeCase } from '@sandbox/api/fields/snake-case.ts';
import type { FileErrorData, FileErrorType } from '../../core/files/file-failure.ts';

/** Python's exception for each type of failure (builtin exceptions of OSError, PEP 3151), which 1.x clients read. */
const EXCEPTIONS: Readonly<Record<FileErrorType, string>> = {
  not_found: 'FileNotFoundError',
  permission_denied: 'PermissionError',
  already_exists: 'FileExistsError',
  invalid_target: 'IsADirectoryError',
  invalid_path: 'ValueError',
  bad_request: 'ValueError',
  decode_error: 'UnicodeDecodeError',
  too_large: 'ValueError',
  read_only_filesystem: 'OSError',
  no_space_left: 'OSError',
  io_error: 'OSError',
};

/** Exceptions of errors that differ from those of their type. */
const BY_ERRNO: Readonly<Record<string, string>> = {
  ENOTDIR: 'NotADirectoryError',
  ENAMETOOLONG: 'OSError',
  ELOOP: 'OSError',
};

/** `data` of the answer to a failed file operation. */
export function fileErrorData(data: FileErrorData): Record<string, unknown> {
  const named = Object.entries(data).map(([key, value]) => [snakeCase(key), value] as const);
  return { ...Object.fromEntries(named), exception_type: BY_ERRNO[data.errnoName ?? ''] ?? EXCEPTIONS[data.errorType] };
}
