import { statusOfKind } from '@sandbox/api/http/error-handler.ts';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { FileFailure } from '../../core/files/file-failure.ts';

/** Where the classes are that a client raises again. */
const CLASSES = {
  BashIncorrectSyntaxError: 'swerex.exceptions',
  CommandTimeoutError: 'swerex.exceptions',
  NoExitCodeError: 'swerex.exceptions',
  NonZeroExitCodeError: 'swerex.exceptions',
  SessionDoesNotExistError: 'swerex.exceptions',
  SessionExistsError: 'swerex.exceptions',
  SessionNotInitializedError: 'swerex.exceptions',
  SwerexException: 'swerex.exceptions',
  TIMEOUT: 'pexpect.exceptions',
  FileNotFoundError: 'builtins',
  IsADirectoryError: 'builtins',
  LookupError: 'builtins',
  NotADirectoryError: 'builtins',
  PermissionError: 'builtins',
  ValueError: 'builtins',
} as const;

type RaisedClass = keyof typeof CLASSES;

/** Of failures of the system: the class and the words that Python has for them. */
const SYSTEM: Readonly<Record<string, readonly [name: RaisedClass, number: number, text: string]>> = {
  ENOENT: ['FileNotFoundError', 2, 'No such file or directory'],
  EACCES: ['PermissionError', 13, 'Permission denied'],
  EPERM: ['PermissionError', 1, 'Operation not permitted'],
  ENOTDIR: ['NotADirectoryError', 20, 'Not a directory'],
  EISDIR: ['IsADirectoryError', 21, 'Is a directory'],
};

/** An exception that the client raises again, under its own class. */
export class Raised extends Error {
  readonly raised: RaisedClass;
  readonly extraInfo: Readonly<Record<string, unknown>>;

  constructor(raised: RaisedClass, message: string, extraInfo: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.raised = raised;
    this.extraInfo = extraInfo;
  }
}

export interface Answer {
  readonly status: number;
  /** Of JSON; without undefined fields. */
  readonly value: object;
}

export function answerOf(value: object): Answer {
  return { status: 200, value };
}

/** An error in the request, which the client raises as a failed call instead of an exception of the runtime. */
export function detailOf(status: number, detail: string): Answer {
  return { status, value: { detail } };
}

/** As `FileNotFoundError` and its like say it. @param path as the client gave it */
export function systemError(code: string, path: string): Raised | undefined {
  const [name, number, text] = SYSTEM[code] ?? [];
  return name && new Raised(name, `[Errno ${number}] ${text}: '${path}'`);
}

/** The answer of a refusal, without a path or a stack of ours. @throws a defect */
export function failureOf(error: unknown): Answer {
  if (error instanceof Raised) {
    const { raised, message, extraInfo } = error;
    const transfer = { message, class_path: `${CLASSES[raised]}.${raised}`, traceback: '', extra_info: extraInfo };
    return { status: 511, value: { swerexception: transfer } };
  }
  if (!(error instanceof SandboxError)) throw error;
  const { hint } = error.details;
  return detailOf(statusOfKind(error.kind), hint === undefined ? error.message : `${error.message}; ${hint}`);
}

/** Does file work under a path of the client. @throws Raised for a failure that Python has a class for */
export async function asPython<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw (error instanceof FileFailure && systemError(error.file.errnoName ?? '', path)) || error;
  }
}
