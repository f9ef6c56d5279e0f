import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { type ErrorKind, SandboxError } from '@sandbox/api/sandbox-error.ts';

export type FileErrorType =
  | 'not_found'
  | 'permission_denied'
  | 'already_exists'
  | 'invalid_target'
  | 'invalid_path'
  | 'bad_request'
  | 'decode_error'
  | 'too_large'
  | 'read_only_filesystem'
  | 'no_space_left'
  | 'io_error';

/** Facts about a failed file operation. */
export interface FileErrorData {
  /** The system's number of the error, positive; null if no system call failed. */
  readonly errno: number | null;
  readonly errnoName: string | null;
  readonly errorType: FileErrorType;
  readonly message: string;
  readonly operation: string;
  readonly path: string;
  readonly retryable: boolean;
}

const KINDS: Readonly<Record<FileErrorType, ErrorKind>> = {
  not_found: 'not_found',
  permission_denied: 'forbidden',
  already_exists: 'conflict',
  invalid_target: 'invalid',
  invalid_path: 'invalid',
  bad_request: 'invalid',
  decode_error: 'unprocessable',
  too_large: 'too_large',
  read_only_filesystem: 'forbidden',
  no_space_left: 'disk_full',
  io_error: 'io',
};

const TYPES: Readonly<Record<string, FileErrorType>> = {
  ENOENT: 'not_found',
  EACCES: 'permission_denied',
  EPERM: 'permission_denied',
  EEXIST: 'already_exists',
  ENOTEMPTY: 'already_exists',
  EISDIR: 'invalid_target',
  ENOTDIR: 'invalid_target',
  ENXIO: 'invalid_target',
  EINVAL: 'invalid_path',
  ENAMETOOLONG: 'invalid_path',
  ELOOP: 'invalid_path',
  EFBIG: 'too_large',
  EROFS: 'read_only_filesystem',
  ENOSPC: 'no_space_left',
  EDQUOT: 'no_space_left',
};

const RETRYABLE = new Set(['EAGAIN', 'EBUSY', 'EINTR', 'EMFILE', 'ENFILE', 'ETXTBSY']);

const TEXTS = new Map([...getSystemErrorMap().values()]);

/** A file operation that failed. */
export class FileFailure extends SandboxError {
  readonly file: FileErrorData;

  constructor(
    data: FileErrorData,
    details: { hint?: string | undefined; cause?: unknown; kind?: ErrorKind | undefined } = {},
  ) {
    const { hint, cause, kind = KINDS[data.errorType] } = details;
    super(kind, data.message, { data, cause, ...(hint !== undefined && { hint }) });
    this.name = 'FileFailure';
    this.file = data;
  }
}

interface FailureTerms {
  readonly type: FileErrorType;
  readonly operation: string;
  readonly path: string;
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Unset: that of the type. */
  readonly kind?: ErrorKind;
}

/** A failure with a message of its own. `code` is the errno name that it corresponds to. */
function failureOf(message: string, terms: FailureTerms): FileFailure {
  const { type, operation, path, code, hint, cause, kind } = terms;
  const data: FileErrorData = {
    errno: code === undefined ? null : (errnoNumber(code) ?? null),
    errnoName: code ?? null,
    errorType: type,
    message,
    operation,
    path,
    retryable: code !== undefined && RETRYABLE.has(code),
  };
  return new FileFailure(data, { hint, cause, kind });
}

/**
 * The failure for an error of a system call.
 * A FileFailure, and an error that no system call caused, are returned unchanged.
 */
export function asFileFailure(error: unknown, operation: string, path: string): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  const type = TYPES[code] ?? 'io_error';
  const message = `${operation} failed: ${TEXTS.get(code) ?? error.message} (${code}): ${path}`;
  return failureOf(message, { type, operation, path, code, hint: HINTS[code], cause: error });
}

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'list the directory above it to see what is there',
  ENOTDIR: 'a directory is needed there; read it as a file, or name its directory',
  EISDIR: 'it is a directory; list it, or name a file in it',
  EEXIST: 'choose another name, or allow it to be overwritten',
  EACCES: 'use an account that may do this (user), or change its permissions',
  ENAMETOOLONG: 'a name has at most 255 bytes, a path 4,095',
  ELOOP: 'its links lead in a circle; remove one of them',
  ENOSPC: 'free some space on that file system',
  EDQUOT: "the account's quota is used up",
  EROFS: 'the file system is mounted read-only',
  EMFILE: 'too many files are open; repeat the call',
};

/** `EBUSY` of a mount point: it exists and cannot be replaced or removed. */
export function busyMountPoint(operation: string, path: string): FileFailure {
  const hint =
    'a mount point cannot be renamed, replaced or removed; write without atomic, use another path, or unmount it';
  const terms = { type: 'already_exists', operation, path, code: 'EBUSY', hint } as const;
  return failureOf(`${operation} failed: the target is a mount point: ${path}`, terms);
}

export function invalidPath(
  message: string,
  operation: string,
  path: string,
  hint = 'give an absolute path',
): FileFailure {
  return failureOf(message, {
    type: 'invalid_path',

    operation,
    path,
    code: 'EINVAL',
    hint,
  });
}

/** A request that matches its schema but cannot be carried out. */
export function badRequest(message: string, operation: string, path: string, hint?: string): FileFailure {
  return failureOf(message, { type: 'bad_request', operation, path, hint });
}

/** A file that would be created exists; the message has the text that clients of 1.x look for. */
export function fileExists(path: string): FileFailure {
  const message = `File already exists at: ${path}. Cannot overwrite files using command \`create\`.`;
  const hint = 'use str_replace or insert, or write the whole file';
  return failureOf(message, { type: 'already_exists', operation: 'create', path, code: 'EEXIST', hint });
}

/** A FIFO, socket or device if a regular file is needed. */
export function notRegular(what: string, operation: string, path: string): FileFailure {
  const terms = { type: 'invalid_target', operation, path } as const;
  return failureOf(`not a regular file but a ${what}: ${path}`, terms);
}

export function notText(operation: string, path: string): FileFailure {
  const hint = 'read it with encoding=base64, or download it';
  return failureOf(`the file is not UTF-8 text: ${path}`, {
    type: 'decode_error',

    operation,
    path,
    hint,
  });
}

/** A file that a lease of another process (fcntl(2), F_SETLEASE) keeps closed; repeated, the call may succeed. */
export function leasedFile(operation: string, path: string): FileFailure {
  const hint = 'end the process that holds the lease (`LEASE` in /proc/locks), or repeat the call';
  const terms = { type: 'io_error', operation, path, code: 'EAGAIN', hint, kind: 'unavailable' } as const;
  return failureOf(`${operation} failed: a lease of another process keeps the file closed (EAGAIN): ${path}`, terms);
}

/** Extended attributes on a file system, or a machine, that has none. */
export function attributesUnsupported(message: string, operation: string, path: string): FileFailure {
  const hint = 'leave the attributes out, or use a file system that keeps them';
  return failureOf(`${message}: ${path}`, { type: 'io_error', operation, path, hint, kind: 'unsupported' });
}

/** A documented cap, as opposed to a limit of the system. */
export function overCap(message: string, operation: string, path: string, hint?: string): FileFailure {
  return failureOf(message, { type: 'too_large', operation, path, hint });
}

/** The failure of a system call that is known to fail with `code` without calling it. */
export function systemFailure(code: string, operation: string, path: string, hint?: string): FileFailure {
  const type = TYPES[code] ?? 'io_error';
  const message = `${operation} failed: ${TEXTS.get(code) ?? code} (${code}): ${path}`;
  return failureOf(message, { type, operation, path, code, hint: hint ?? HINTS[code] });
}

/** The errno name of a failed system call: `ENOENT`. Errors of Node itself have codes of another form. */
export function systemCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && errnoNumber(code) !== undefined ? code : undefined;
}

function errnoNumber(code: string): number | undefined {
  const numbers: Readonly<Record<string, number>> = constants.errno;
  return numbers[code];
}
