import { stat } from 'node:fs/promises';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { hasKeyForFiles, requireConfined } from '../../core/access/caller.ts';
import { credentialFiles } from '../../core/access/credential-files.ts';
import { sameRights } from '../../core/account/identity.ts';
import { RunContext } from '../../core/account/run-context.ts';
import type { Core } from '../../core/core.ts';
import { systemFailure } from '../../core/files/file-failure.ts';
import { type FilePath, pathOfBytes, pathOfLatin1, shownPath } from '../../core/files/file-path.ts';
import type { ShellPaths } from '../../core/files/shell-paths.ts';
import type { ComingChange } from '../../core/ports/before-change-port.ts';
import { treeProgram } from '../../core/process/keeper/keeper-program.ts';
import { exportTar } from './archive/export-tar.ts';
import { AutoCheckpoints } from './auto/auto-checkpoints.ts';
import { coveredRoot, isCovered, realPathOf } from './covered-root.ts';
import { readChanges } from './diff/changes-file.ts';
import type {
  AutoTaken,
  ChangeFound,
  CheckpointRecord,
  DiffFile,
  DiffFound,
  DiffTask,
  EngineAccount,
  ObjectFacts,
  Restored,
  TextBounds,
} from './engine/engine-protocol.ts';
import { EngineThread } from './engine/engine-thread.ts';
import { storedBytes } from './engine/stored-bytes.ts';
import { ARCHIVE_BYTES_MAX } from './import/import-archive.ts';
import { tooLargeArchive } from './import/refused-archive.ts';
import { Spools } from './import/spools.ts';
import { type CheckpointTerms, refusalOf } from './refusal.ts';
import { pathBelow } from './tree/path-below.ts';

/** Streams of changes at once: each has a file. */
const STREAMS_MAX = 8;
/** Whose rights a call has; undefined: those of the default account. */
interface As {
  readonly user?: string | undefined;
  /** Fires when the caller leaves: what has not begun does not begin, what runs ends without a trace. */
  readonly gone?: AbortSignal | undefined;
}

interface ImportRequest extends As {
  /** Undefined: the home of the account. */
  readonly path: FilePath | undefined;
  readonly label: string | null;
  /** Bytes of the archive; 0 if unknown. */
  readonly length: number;
}

interface CreateRequest extends As {
  /** Undefined: the home of the account. */
  readonly path: FilePath | undefined;
  readonly label: string | null;
  readonly exclude: readonly string[];
}

interface DiffRequest extends As {
  /** Another checkpoint of the directory; undefined: what is there now. */
  readonly to: string | undefined;
  /** Undefined: without texts. */
  readonly texts: TextBounds | undefined;
}

/** All changes, in parts. */
export interface DiffStream extends Omit<DiffFile, 'path'> {
  readonly changes: AsyncIterable<readonly ChangeFound[]>;
}

interface RestoreRequest extends As {
  /** Below the directory of the checkpoint, or absolute. */
  readonly paths: readonly FilePath[];
  readonly deletesNew: boolean;
  readonly isDryRun: boolean;
}

/** A file of a checkpoint; its bytes are read as they are taken. */
export interface CheckpointFile {
  readonly facts: ObjectFacts;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Takes checkpoints of directories, compares them and restores them, with the rights of an account. */
export class CheckpointService implements AsyncDisposable {
  readonly #context: RunContext;
  readonly #engine: EngineThread;
  readonly #refusal: SandboxError | undefined;
  /** Undefined: none is taken by itself. */
  readonly auto: AutoCheckpoints | undefined;
  readonly #spools: Spools;
  #streams = 0;
  #figures = { bytes: 0, count: 0 };

  constructor({ clock, config, logger, metrics, platform, runtime }: Core, options: CheckpointTerms) {
    this.#context = new RunContext(config.defaultUser, platform);
    const program = treeProgram(config.keeperProgram);
    this.#refusal = refusalOf(options, program.isThere);
    const directory = (): string => runtime.directory('checkpoints');
    this.#spools = new Spools(directory);
    this.#engine = new EngineThread(() => ({
      directory: directory(),
      program: program.path,
      maxBytes: options.checkpointsMaxBytes,
      credentials: credentialFiles(),
      runtimeDirectory: runtime.path,
    }));
    if (options.checkpoints !== 'auto' || this.#refusal) return;
    this.auto = new AutoCheckpoints({
      take: (change) => this.#takeAuto(change, clock.now()),
      isBusy: () => this.#engine.isBusy,
      count: (result) => metrics.automaticCheckpoints.inc({ result }),
      onFailure: (error) => logger.warn({ err: error }, 'an automatic checkpoint failed'),
    });
  }

  get paths(): ShellPaths {
    return this.#context.paths;
  }

  /** Bytes and number of the checkpoints after the last call. */
  get figures(): { readonly bytes: number; readonly count: number } {
    return this.#figures;
  }

  /** @throws FileFailure for a path that is not there; SandboxError `forbidden` outside the directories of the key */
  async create({ path, user, label, exclude, gone }: CreateRequest): Promise<CheckpointRecord> {
    this.#requireOn();
    const account = this.#accountOf(user);
    const root = await this.#rootOf(path, user, 'read');
    const record = await this.#engine.call('create', { root, account, label, exclude }, gone);
    await this.#count();
    return record;
  }

  /**
   * Makes a tar archive a checkpoint of a directory. With a key for files alone it has no device nodes, no file
   * capabilities and no set-ID bits.
   * @throws as `create`; SandboxError `invalid` and `too_large` for the archive, `capacity` for too many at once
   */
  async importArchive(
    source: AsyncIterable<Buffer>,
    { path, user, label, length, gone }: ImportRequest,
  ): Promise<CheckpointRecord> {
    this.#requireOn();
    if (length > ARCHIVE_BYTES_MAX) throw tooLargeArchive(`over ${ARCHIVE_BYTES_MAX} bytes`);
    this.#accountOf(user);
    const root = await this.#rootOf(path, user, 'write');
    if (!(await stat(root)).isDirectory()) throw systemFailure('ENOTDIR', 'import', shownPath(pathOfBytes(root)));
    const takesPrivileges = !hasKeyForFiles();
    const { uid, gid } = this.#context.identityOf(user);
    const task = { root, account: undefined, label, exclude: [], owner: { uid, gid }, takesPrivileges };
    const record = await this.#spools.use(source, ({ descriptor }) =>
      this.#engine.call('import', { ...task, file: descriptor }, gone),
    );
    await this.#count();
    return record;
  }

  /** The newest first; those of directories that the key does not cover are left out. */
  async list(path?: FilePath): Promise<CheckpointRecord[]> {
    this.#requireOn();
    const root = path === undefined ? undefined : (await realPathOf(path)).toString('latin1');
    const records = await this.#engine.call('list', null);
    return records.filter((record) => isCovered(record) && (root === undefined || record.root === root)).reverse();
  }

  async get(id: string): Promise<CheckpointRecord> {
    return await this.#covered(id, 'read');
  }

  async remove(id: string): Promise<CheckpointRecord> {
    const record = await this.#covered(id, 'write');
    await this.#engine.call('remove', id);
    await this.#count();
    return record;
  }

  async diff(id: string, { maxChanges, ...request }: DiffRequest & { maxChanges: number }): Promise<DiffFound> {
    return await this.#engine.call('diff', { ...(await this.#diffTask(id, request)), maxChanges }, request.gone);
  }

  /** All changes, which are read as they are taken; they have to be. @throws SandboxError `capacity` for too many */
  async diffStream(id: string, request: DiffRequest): Promise<DiffStream> {
    const task = await this.#diffTask(id, request);
    if (this.#streams >= STREAMS_MAX) {
      throw new SandboxError('capacity', `${STREAMS_MAX} streams of changes are open`, {
        hint: 'repeat the call when one of them has ended',
        retryAfter: 1,
      });
    }
    this.#streams += 1;
    try {
      const { path, ...found } = await this.#engine.call('diffFile', task, request.gone);
      return { ...found, changes: this.#changesIn(path) };
    } catch (error) {
      this.#streams -= 1;
      throw error;
    }
  }

  async restore(id: string, { user, paths, gone, ...terms }: RestoreRequest): Promise<Restored> {
    const { root } = await this.#covered(id, terms.isDryRun ? 'read' : 'write');
    const account = this.#accountOf(user);
    const below = paths.map((path) => pathBelow(root, path, 'paths'));
    const restored = await this.#engine.call('restore', { id, account, paths: below, ...terms }, gone);
    await this.#count();
    return restored;
  }

  /** @param path below the directory of the checkpoint, or absolute */
  async file(id: string, path: FilePath): Promise<CheckpointFile> {
    const { root } = await this.#covered(id, 'read');
    const { facts, parts } = await this.#engine.call('file', { id, path: pathBelow(root, path, 'path') });
    return { facts, bytes: storedBytes(this.#engine, parts) };
  }

  /** A checkpoint as a tar archive; its bytes are read as they are taken. */
  async export(id: string): Promise<AsyncIterable<Uint8Array>> {
    await this.#covered(id, 'read');
    const directories = await this.#engine.call('directories', id);
    return exportTar({
      directories,
      objectsOf: (hash) => this.#engine.call('objects', hash),
      bytesOf: (parts) => storedBytes(this.#engine, parts),
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#engine[Symbol.asyncDispose]();
  }

  /** @throws FileFailure, SandboxError for an account without a home of its own */
  async #takeAuto({ what, user }: ComingChange, tick: number): Promise<AutoTaken> {
    const identity = this.#context.identityOf(user);
    const account = sameRights(identity, this.#context.own) ? undefined : identity;
    const root = await realPathOf(identity.home);
    if (root.toString() === '/') throw new SandboxError('invalid', 'the home of the account is the root directory');
    const taken = await this.#engine.call('createAuto', {
      root,
      account,
      tick,
      label: `before ${what}`,
      exclude: [],
    });
    await this.#count();
    return taken;
  }

  async #diffTask(id: string, { to, user, texts }: DiffRequest): Promise<Omit<DiffTask, 'maxChanges'>> {
    await this.#covered(id, 'read');
    if (to !== undefined) await this.#covered(to, 'read');
    return { id, to, account: this.#accountOf(user), texts };
  }

  async *#changesIn(path: string): AsyncGenerator<readonly ChangeFound[]> {
    try {
      yield* readChanges(path);
    } finally {
      this.#streams -= 1;
    }
  }

  /** @throws SandboxError `not_found`; `forbidden` if the key does not cover its directory */
  async #covered(id: string, access: 'read' | 'write'): Promise<CheckpointRecord> {
    this.#requireOn();
    const record = await this.#engine.call('record', id);
    requireConfined(() => pathOfLatin1(record.root), access);
    return record;
  }

  /** The directory of a new checkpoint; undefined: the home of the account. */
  async #rootOf(path: FilePath | undefined, user: string | undefined, access: 'read' | 'write'): Promise<Buffer> {
    return await coveredRoot(path ?? this.#context.homeOf(this.#context.identityOf(user)), access);
  }

  /** @throws SandboxError `forbidden` if a key for files alone names an account */
  #accountOf(user: string | undefined): EngineAccount | undefined {
    if (user !== undefined && hasKeyForFiles()) {
      throw new SandboxError('forbidden', 'a key for files alone does not choose the account', {
        field: 'user',
        hint: 'leave it out: the call has the rights of the default account',
      });
    }
    const identity = this.#context.identityOf(user);
    return sameRights(identity, this.#context.own) ? undefined : identity;
  }

  #requireOn(): void {
    if (this.#refusal) throw this.#refusal;
  }

  async #count(): Promise<void> {
    this.#figures = await this.#engine.call('usage', null);
  }
}
