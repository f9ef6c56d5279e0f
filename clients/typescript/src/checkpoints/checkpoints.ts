import { bytesOfAnswer, chunksOf } from '../core/body.ts';
import { type Camel, camel } from '../core/camel.ts';
import type { Transport } from '../core/transport.ts';
import type { CallOptions } from '../files/files.ts';
import type * as wire from '../wire.ts';

export type Checkpoint = Camel<wire.Checkpoint>;
export type CheckpointDiff = Camel<wire.CheckpointDiff>;
export type CheckpointRestored = Camel<wire.CheckpointRestored>;

export interface RestoreOptions extends CallOptions {
  /** Only these and what is below them; default: all of the directory. */
  readonly paths?: readonly string[];
  /** Report the changes and make none. */
  readonly dryRun?: boolean;
  /** Remove what was added since the checkpoint. */
  readonly deleteNew?: boolean;
}

/** Seconds for a call that reads or writes a large tree. */
const SILENCE = 3600;

/** Checkpoints of directories of the sandbox (docs/checkpoints.md). A call that is cut is not repeated. */
export class Checkpoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Takes a checkpoint of a directory; without a path of the home. */
  async create(
    path?: string,
    options: CallOptions & { readonly label?: string | undefined; readonly exclude?: readonly string[] } = {},
  ): Promise<Checkpoint> {
    const { label, exclude, signal } = options;
    const call = { method: 'POST', json: { path, label, exclude }, signal, silence: SILENCE } as const;
    return camel(await this.#transport.data('/v2/checkpoints', 'Checkpoint', call));
  }

  /** The newest first; those of one directory with `path`. */
  async list(
    options: CallOptions & { readonly path?: string; readonly limit?: number } = {},
  ): Promise<readonly Checkpoint[]> {
    const { signal, ...query } = options;
    return camel((await this.#transport.data('/v2/checkpoints', 'CheckpointList', { query, signal })).checkpoints);
  }

  /** What has changed since the checkpoint, up to now or up to another checkpoint of the directory; `text`: with unified text. */
  async diff(
    id: string,
    options: CallOptions & { readonly to?: string | undefined; readonly limit?: number; readonly text?: boolean } = {},
  ): Promise<CheckpointDiff> {
    const { signal, ...query } = options;
    const call = { query, signal, silence: SILENCE };
    return camel(await this.#transport.data(`${pathOf(id)}/diff`, 'CheckpointDiff', call));
  }

  /** Makes the directory what it was; `checkpointBefore` of the result is what was there. */
  async restore(id: string, options: RestoreOptions = {}): Promise<CheckpointRestored> {
    const json = { paths: options.paths, dry_run: options.dryRun, delete_new: options.deleteNew };
    const call = { method: 'POST', json, signal: options.signal, silence: SILENCE } as const;
    return camel(await this.#transport.data(`${pathOf(id)}/restore`, 'CheckpointRestored', call));
  }

  /** The bytes of a file as it was, at most 64 MiB; the path is absolute, or relative to the directory. */
  async read(id: string, path: string, { signal }: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return await this.#transport.call(`${pathOf(id)}/files`, { query: { path }, signal }, bytesOfAnswer);
  }

  /** The checkpoint as a tar archive with pax headers, at the pace of the consumer. */
  async *export(id: string, { signal }: CallOptions = {}): AsyncGenerator<Uint8Array> {
    const call = { signal, silence: SILENCE };
    const attempts = this.#transport.attempts({ signal, retryFor: 0 });
    try {
      using answer = await this.#transport.open(`${pathOf(id)}/export`, call);
      yield* chunksOf(answer);
    } catch (error) {
      // A second answer would begin at the first byte: a cut ends the call.
      await this.#transport.again(error, call, attempts);
      throw error;
    }
  }

  /**
   * Makes a tar archive, plain or gzip, such as that of `export`, a checkpoint of a directory of the sandbox; without a
   * path of the home. The directory is not changed before a `restore`.
   */
  async importArchive(
    archive: Uint8Array<ArrayBuffer> | Blob,
    options: CallOptions & { readonly path?: string | undefined; readonly label?: string | undefined } = {},
  ): Promise<Checkpoint> {
    const { signal, ...query } = options;
    const call = { method: 'POST', query, bytes: archive, signal, silence: SILENCE } as const;
    return camel(await this.#transport.data('/v2/checkpoints/import', 'Checkpoint', call));
  }

  async remove(id: string, { signal }: CallOptions = {}): Promise<void> {
    const call = { method: 'DELETE', signal, repeatable: false, silence: SILENCE } as const;
    await this.#transport.data(pathOf(id), 'Checkpoint', call);
  }
}

function pathOf(id: string): string {
  return `/v2/checkpoints/${encodeURIComponent(id)}`;
}
