import { realpath } from 'node:fs/promises';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { hasKeyForFiles, isConfined, requireConfined } from '../../core/access/caller.ts';
import { credentialFiles } from '../../core/access/credential-files.ts';
import { sameRights } from '../../core/account/identity.ts';
import { RunContext } from '../../core/account/run-context.ts';
import type { Core } from '../../core/core.ts';
import { asFileFailure } from '../../core/files/file-failure.ts';
import { type FilePath, latin1Of, pathOfBytes, pathOfLatin1, shownPath } from '../../core/files/file-path.ts';
import { Place } from '../../core/files/place/place.ts';
import type { ShellPaths } from '../../core/files/shell-paths.ts';
import { treeProgram } from '../../core/process/keeper/keeper-program.ts';
import {
  type CheckpointRecord,
  type DiffFound,
  type EngineAccount,
  type FileFound,
  noCheckpoint,
  type ObjectFacts,
  type Restored,
} from './engine/engine-protocol.ts';
import { EngineThread } from './engine/engine-thread.ts';

/** Bytes of zeros that a hole is sent as at once. */
const ZEROS_BYTES = 256 * 1024;
const ZEROS = Buffer.alloc(ZEROS_BYTES);
const EVERYWHERE = '';

/** The options of the capability. */
interface CheckpointTerms {
  readonly checkpoints: 'off' | 'manual';
  readonly checkpointsMaxBytes: number;
}

/** Whose rights a call has; undefined: those of the default account. */
interface As {
  readonly user?: string | undefined;
}

interface CreateRequest extends As {
  /** Undefined: the home of the account. */
  readonly path: FilePath | undefined;
  readonly label: string | null;
  readonly exclude: readonly string[];
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
  #figures = { bytes: 0, count: 0 };

  constructor({ config, platform, runtime }: Core, options: CheckpointTerms) {
    this.#context = new RunContext(config.defaultUser, platform);
    const program = treeProgram(config.keeperProgram);
    this.#refusal = refusalOf(options, program.isThere);
    this.#engine = new EngineThread(() => ({
      directory: runtime.directory('checkpoints'),
      program: program.path,
      maxBytes: options.checkpointsMaxBytes,
      credentials: credentialFiles(),
      runtimeDirectory: runtime.path,
    }));
  }

  get paths(): ShellPaths {
    return this.#context.paths;
  }

  /** Bytes and number of the checkpoints after the last call. */
  get figures(): { readonly bytes: number; readonly count: number } {
    return this.#figures;
  }

  /** @throws FileFailure for a path that is not there; SandboxError `forbidden` outside the directories of the key */
  async create({ path, user, label, exclude }: CreateRequest): Promise<CheckpointRecord> {
    this.#requireOn();
    const account = this.#accountOf(user);
    const root = await realPathOf(path ?? this.#context.homeOf(this.#context.identityOf(user)));
    requireConfined(() => pathOfBytes(root), 'read');
    const record = await this.#engine.call('create', { root, account, label, exclude });
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

  /** @param to another checkpoint of the directory; undefined: what is there now */
  async diff(
    id: string,
    { to, user, maxChanges }: As & { to: string | undefined; maxChanges: number },
  ): Promise<DiffFound> {
    await this.#covered(id, 'read');
    if (to !== undefined) await this.#covered(to, 'read');
    return await this.#engine.call('diff', { id, to, account: this.#accountOf(user), maxChanges });
  }

  async restore(id: string, { user, paths, ...terms }: RestoreRequest): Promise<Restored> {
    const { root } = await this.#covered(id, terms.isDryRun ? 'read' : 'write');
    const account = this.#accountOf(user);
    const below = paths.map((path) => pathBelow(root, path, 'paths'));
    const restored = await this.#engine.call('restore', { id, account, paths: below, ...terms });
    await this.#count();
    return restored;
  }

  /** @param path below the directory of the checkpoint, or absolute */
  async file(id: string, path: FilePath): Promise<CheckpointFile> {
    const { root } = await this.#covered(id, 'read');
    const { facts, parts } = await this.#engine.call('file', { id, path: pathBelow(root, path, 'path') });
    return { facts, bytes: this.#bytesOf(parts) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#engine[Symbol.asyncDispose]();
  }

  async *#bytesOf(parts: FileFound['parts']): AsyncGenerator<Uint8Array> {
    let [hash, piece]: [string, Uint8Array] = ['', ZEROS];
    for (const part of parts) {
      if ('zeros' in part) {
        yield* zeros(part.zeros);
        continue;
      }
      // The extents of a sparse file are parts of the same piece.
      if (part.hash !== hash) [hash, piece] = [part.hash, await this.#engine.call('piece', part.hash)];
      yield piece.subarray(part.from, part.from + part.length);
    }
  }

  /** @throws SandboxError `not_found`; `forbidden` if the key does not cover its directory */
  async #covered(id: string, access: 'read' | 'write'): Promise<CheckpointRecord> {
    this.#requireOn();
    const records = await this.#engine.call('list', null);
    const record = records.find((one) => one.id === id);
    if (!record) throw noCheckpoint(id);
    requireConfined(() => pathOfLatin1(record.root), access);
    return record;
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

function refusalOf({ checkpoints }: CheckpointTerms, hasProgram: boolean): SandboxError | undefined {
  if (checkpoints === 'off') {
    return new SandboxError('unsupported', 'checkpoints are off', {
      hint: 'start the service with SVC_CHECKPOINTS=manual',
    });
  }
  if (hasProgram) return undefined;
  return new SandboxError('unsupported', 'checkpoints need the program keeper-tree, which was not built', {
    hint: 'install a C compiler (apt-get install gcc libc6-dev) and start again, or run the image',
  });
}

/** Its bytes, without links. @throws FileFailure */
async function realPathOf(path: FilePath): Promise<Buffer> {
  try {
    return await realpath(path, { encoding: 'buffer' });
  } catch (error) {
    if (isConfined()) requireFound(path);
    throw asFileFailure(error, 'checkpoint', shownPath(path));
  }
}

/** @throws SandboxError `forbidden` outside the directories of the key, also for what is not there */
function requireFound(path: FilePath): void {
  Place.find(path, 'checkpoint', { follow: true, access: 'read' })[Symbol.dispose]();
}

function isCovered({ root }: CheckpointRecord): boolean {
  try {
    requireConfined(() => pathOfLatin1(root), 'read');
    return true;
  } catch {
    return false;
  }
}

/** A path below the directory of a checkpoint, as a byte string; '' for the directory itself. */
function pathBelow(root: string, path: FilePath, field: string): string {
  const given = latin1Of(path);
  const parts = given.split('/').filter((part) => part !== '' && part !== '.');
  const top = root.split('/').filter((part) => part !== '');
  const isBelow = given.startsWith('/') && top.every((part, index) => parts[index] === part);
  const below = isBelow ? parts.slice(top.length) : parts;
  if ((given.startsWith('/') && !isBelow) || below.includes('..')) {
    throw new SandboxError('invalid', `is not below the directory of the checkpoint: ${shownPath(path)}`, {
      field,
      hint: `give a path below ${shownPath(pathOfLatin1(root))}, absolute or relative to it`,
    });
  }
  return below.length === 0 ? EVERYWHERE : below.join('/');
}

function* zeros(length: number): Iterable<Uint8Array> {
  for (let left = length; left > 0; left -= ZEROS_BYTES) yield ZEROS.subarray(0, Math.min(left, ZEROS_BYTES));
}
