import { type ErrorDetails, type ErrorKind, SandboxError } from '@sandbox/api/sandbox-error.ts';

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

/** Why a checkpoint exists: a call, or a restore that it precedes. */
export type CheckpointOrigin = 'manual' | 'restore';

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

export interface DiffTask {
  readonly id: string;
  /** Another checkpoint; undefined: the directory as it is now. */
  readonly to: string | undefined;
  readonly account: EngineAccount | undefined;
  readonly maxChanges: number;
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

export type ChangeType = 'added' | 'removed' | 'modified' | 'metadata' | 'renamed';

export interface ChangeFound {
  readonly type: ChangeType;
  readonly path: string;
  /** Of `renamed`: the path before. */
  readonly from: string | undefined;
  readonly before: ObjectFacts | undefined;
  readonly after: ObjectFacts | undefined;
}

export interface DiffFound {
  readonly changes: readonly ChangeFound[];
  readonly counts: Readonly<Record<ChangeType, number>>;
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

export type FilePart =
  | { readonly hash: string; readonly from: number; readonly length: number }
  | { readonly zeros: number };

/** The calls of the engine, with what they take and return. */
export interface EngineCalls {
  readonly create: { readonly takes: CreateTask; readonly returns: CheckpointRecord };
  readonly list: { readonly takes: null; readonly returns: readonly CheckpointRecord[] };
  readonly remove: { readonly takes: string; readonly returns: null };
  readonly diff: { readonly takes: DiffTask; readonly returns: DiffFound };
  readonly restore: { readonly takes: RestoreTask; readonly returns: Restored };
  readonly file: { readonly takes: { readonly id: string; readonly path: string }; readonly returns: FileFound };
  readonly piece: { readonly takes: string; readonly returns: Uint8Array };
  readonly usage: { readonly takes: null; readonly returns: { readonly bytes: number; readonly count: number } };
}

export interface EngineRequest {
  readonly number: number;
  readonly call: keyof EngineCalls;
  readonly takes: unknown;
}

export interface EngineAnswer {
  readonly number: number;
  readonly returns?: unknown;
  readonly error?: EngineError;
}

/** A failure in the words of the domain; without a kind a defect. */
export interface EngineError {
  readonly kind?: ErrorKind;
  readonly message: string;
  readonly details?: Pick<ErrorDetails, 'field' | 'hint'>;
}

export function noCheckpoint(id: string): SandboxError {
  return new SandboxError('not_found', `checkpoint not found: ${id}`, {
    hint: 'the list of checkpoints has those that are kept',
  });
}
