import { type ErrorDetails, type ErrorKind, SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Entry } from '../tree/entry.ts';

/** The account that a tree is walked and changed as; undefined: that of the daemon. */
export interface EngineAccount {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** Where the engine is, and its bounds. */
export interface EngineTerms {
  /** Of the store. */
  readonly directory: string;
  readonly program: string;
  readonly maxBytes: number;
  /** Paths of files with credentials. */
  readonly credentials: readonly string[];
  /** The directory of the daemon, which no checkpoint contains. */
  readonly runtimeDirectory: string;
}

/** Why a checkpoint exists: a call, an archive, or what it precedes; `auto`: a command, a cell or a change of files. */
export type CheckpointOrigin = 'manual' | 'restore' | 'auto' | 'import';

/** A path that is left out, in part or wholly. */
export interface OutPath {
  /** A byte string, below the root. */
  readonly path: string;
  /** The name of an errno, or a word. */
  readonly reason: string;
}

/** A checkpoint in the journal of the store. */
export interface CheckpointRecord {
  readonly id: string;
  /** A byte string: the path without links. */
  readonly root: string;
  readonly label: string | null;
  readonly origin: CheckpointOrigin;
  readonly createdAt: string;
  /** Of the clock of ages, if it is automatic. */
  readonly tick?: number;
  readonly uid: number;
  readonly exclude: readonly string[];
  /** Hash of the list of its directories, in hex. */
  readonly tree: string;
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
  readonly tookMs: number;
  readonly leftOutCount: number;
  /** The first ones. */
  readonly leftOut: readonly OutPath[];
}

export interface CreateTask {
  readonly root: Buffer | Uint8Array;
  readonly account: EngineAccount | undefined;
  readonly label: string | null;
  readonly exclude: readonly string[];
}

export interface ImportTask extends CreateTask {
  /** The archive: a descriptor, which threads of the process share. */
  readonly file: number;
  /** Of directories that no entry describes. */
  readonly owner: { readonly uid: number; readonly gid: number };
  /** Whether device nodes, file capabilities and set-ID bits are taken. */
  readonly takesPrivileges: boolean;
}

export interface AutoTask extends CreateTask {
  /** Of the clock of ages. */
  readonly tick: number;
}

export interface AutoTaken {
  /** Whether the directory differs from its last checkpoint; else none is kept. */
  readonly isNew: boolean;
  readonly tookMs: number;
}

export interface DiffTask {
  readonly id: string;
  /** Another checkpoint; undefined: the directory as it is now. */
  readonly to: string | undefined;
  readonly account: EngineAccount | undefined;
  readonly maxChanges: number;
  /** Bounds of the texts of changed files; undefined: without texts. */
  readonly texts?: TextBounds | undefined;
}

/** Bytes of unified text. */
export interface TextBounds {
  readonly ofFile: number;
  readonly ofAll: number;
  /** Bytes of contents that are compared, in all. */
  readonly contents: number;
}

export interface RestoreTask {
  readonly id: string;
  readonly account: EngineAccount | undefined;
  /** Byte strings. */
  readonly paths: readonly string[];
  readonly deletesNew: boolean;
  readonly isDryRun: boolean;
}

export interface ObjectFacts {
  readonly kind: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  readonly target: string;
}

/** Why a change of files has no text, or not all of it: `cut` at a bound of texts. */
export type TextOmission = 'binary' | 'too_large' | 'cut' | 'unreadable' | 'changed';

export type ChangeType = 'added' | 'removed' | 'modified' | 'metadata' | 'renamed';

export interface ChangeFound {
  readonly type: ChangeType;
  readonly path: string;
  /** Of `renamed`: the path before. */
  readonly from: string | undefined;
  readonly before: ObjectFacts | undefined;
  readonly after: ObjectFacts | undefined;
  /** Unified text, with the lines that name the files; undefined if it was not asked for, or is not of a file. */
  readonly text?: string | undefined;
  readonly textOmitted?: TextOmission | undefined;
}

export type DiffCounts = Readonly<Record<ChangeType, number>>;

export interface DiffFound {
  readonly changes: readonly ChangeFound[];
  readonly counts: DiffCounts;
}

/** A diff whose changes are in a file (`changes-file.ts`). */
export interface DiffFile {
  readonly path: string;
  readonly counts: DiffCounts;
  /** Whether changes are left out. */
  readonly isCut: boolean;
}

export interface Restored {
  /** The checkpoint of what was there before; undefined for a dry run. */
  readonly before: CheckpointRecord | undefined;
  readonly changes: readonly ChangeFound[];
  readonly changeCount: number;
  readonly notRestored: readonly OutPath[];
  readonly notRestoredCount: number;
}

export interface FileFound {
  readonly facts: ObjectFacts;
  /** Bytes of its pieces, and zeros of its holes, in order. */
  readonly parts: readonly FilePart[];
}

/** An object of a checkpoint for an archive; names are byte strings, '' is the directory itself. */
export interface ExportedObject
  extends Pick<Entry, 'kind' | 'name' | 'mode' | 'uid' | 'gid' | 'size' | 'mtime' | 'rdev' | 'target'> {
  readonly xattrs: Uint8Array;
  /** Equal for the names of one file; undefined for one name. */
  readonly link: string | undefined;
  /** Undefined if it is not a file, or its content is not known. */
  readonly parts: readonly FilePart[] | undefined;
  readonly isSparse: boolean;
}

export type FilePart =
  | { readonly hash: string; readonly from: number; readonly length: number }
  | { readonly zeros: number };

/** The calls of the engine, with what they take and return. */
export interface EngineCalls {
  readonly create: { readonly takes: CreateTask; readonly returns: CheckpointRecord };
  readonly createAuto: { readonly takes: AutoTask; readonly returns: AutoTaken };
  readonly import: { readonly takes: ImportTask; readonly returns: CheckpointRecord };
  readonly record: { readonly takes: string; readonly returns: CheckpointRecord };
  readonly list: { readonly takes: null; readonly returns: readonly CheckpointRecord[] };
  readonly remove: { readonly takes: string; readonly returns: null };
  readonly diff: { readonly takes: DiffTask; readonly returns: DiffFound };
  readonly diffFile: { readonly takes: Omit<DiffTask, 'maxChanges'>; readonly returns: DiffFile };
  readonly restore: { readonly takes: RestoreTask; readonly returns: Restored };
  readonly file: { readonly takes: { readonly id: string; readonly path: string }; readonly returns: FileFound };
  readonly directories: {
    readonly takes: string;
    readonly returns: readonly (readonly [path: string, hash: string])[];
  };
  readonly objects: { readonly takes: string; readonly returns: readonly ExportedObject[] };
  readonly piece: { readonly takes: string; readonly returns: Uint8Array };
  readonly usage: { readonly takes: null; readonly returns: { readonly bytes: number; readonly count: number } };
}

/** A call, or that the caller of an earlier one has left. */
export type EngineRequest =
  | { readonly number: number; readonly call: keyof EngineCalls; readonly takes: unknown }
  | { readonly leaves: number };

export interface EngineAnswer {
  readonly number: number;
  readonly returns?: unknown;
  readonly error?: EngineError;
}

/** A failure in the words of the domain; without a kind a defect. */
export interface EngineError {
  readonly kind?: ErrorKind;
  readonly message: string;
  readonly details?: Pick<ErrorDetails, 'field' | 'hint' | 'retryAfter'>;
}

export function noCheckpoint(id: string): SandboxError {
  return new SandboxError('not_found', `checkpoint not found: ${id}`, {
    hint: 'the list of checkpoints has those that are kept',
  });
}
