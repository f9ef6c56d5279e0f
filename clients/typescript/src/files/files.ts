import { builtin } from '../core/builtin.ts';
import { type Camel, camel } from '../core/camel.ts';
import { isNotFound, SandboxError } from '../core/errors.ts';
import { randomId } from '../core/random-id.ts';
import type { RemotePaths } from '../core/remote-paths.ts';
import type { Call, Transport } from '../core/transport.ts';
import type * as wire from '../wire.ts';
import { download, type ReadOptions } from './download.ts';
import { pagesOf } from './pages.ts';
import { pull } from './pull.ts';
import { push } from './push.ts';
import { type Content, fileSource, sourceOf } from './source.ts';
import type { TreeOptions, TreeReport } from './tree.ts';
import { type TransferOptions, type UploadOptions, upload } from './upload.ts';
import { Watch, type WatchEvent, type WatchOptions } from './watch.ts';

export type FileEntry = Camel<wire.FileEntry>;
export type FileInfo = Camel<wire.FileStat>;
export type GrepMatch = Camel<wire.GrepResult>['matches'][number];

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ListOptions extends CallOptions {
  readonly recursive?: boolean | undefined;
  /** Default: true. */
  readonly hidden?: boolean | undefined;
  readonly maxDepth?: number | undefined;
}

export interface GrepOptions extends CallOptions {
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** The pattern means itself. */
  readonly fixed?: boolean | undefined;
  readonly ignoreCase?: boolean | undefined;
  /** Default 500. */
  readonly maxResults?: number | undefined;
}

/** Bytes of a file that is read into memory. */
const LONGEST_WHOLE = 1024 ** 3;

/** Entries of a list that is held in memory. */
const MOST_ENTRIES = 200_000;

/** Files of the sandbox. A path is absolute, or below the home with or without `~/`. */
export class Files {
  readonly #transport: Transport;
  readonly #paths: RemotePaths;

  constructor(transport: Transport, paths: RemotePaths) {
    this.#transport = transport;
    this.#paths = paths;
  }

  /** The text of a file in UTF-8. @throws SandboxError if it is not text */
  async read(path: string, options: CallOptions = {}): Promise<string> {
    const bytes = await this.bytes(path, options);
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch (cause) {
      throw new SandboxError(`the file is not text in UTF-8: ${path}`, { hint: 'read it with bytes()', cause });
    }
  }

  async bytes(path: string, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let length = 0;
    for await (const chunk of this.stream(path, options)) {
      length += chunk.length;
      if (length > LONGEST_WHOLE) {
        throw new SandboxError(`the file has more than 1 GiB: ${path}`, {
          hint: 'read it with stream() or download()',
        });
      }
      chunks.push(chunk as Uint8Array<ArrayBuffer>);
    }
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  }

  /** The bytes of a file of any size, at the pace of the consumer. */
  async *stream(path: string, options: ReadOptions = {}): AsyncGenerator<Uint8Array> {
    yield* download(this.#transport, await this.#paths.resolve(path, options.signal), options);
  }

  /** Replaces a file, or creates it with its directories. Readers see the old content or the new one. */
  async write(path: string, content: Content, options: UploadOptions = {}): Promise<void> {
    await upload(
      this.#transport,
      { path: await this.#paths.resolve(path, options.signal), options },
      sourceOf(content),
    );
  }

  /**
   * Sends a file of this machine, or a blob, in pieces: a cut or a later repeat continues, a checksum decides.
   * @param options `to`: path in the sandbox; default: the name of the file in the home
   */
  async upload(
    file: string | Blob | Uint8Array,
    options: UploadOptions & { readonly to?: string } = {},
  ): Promise<void> {
    const name = typeof file === 'string' ? (await builtin('node:path')).basename(file) : nameOf(file);
    const to = options.to ?? name;
    if (to === undefined) throw new SandboxError('to is missing', { hint: 'name the path in the sandbox' });
    await using source = typeof file === 'string' ? await fileSource(file) : sourceOf(file);
    await upload(this.#transport, { path: await this.#paths.resolve(to, options.signal), options }, source);
  }

  /** Writes a file of the sandbox to this machine; the old file stays until all bytes are there. */
  async download(path: string, local: string, options: TransferOptions = {}): Promise<void> {
    const { open, rename, rm } = await builtin('node:fs/promises');
    const { dirname, join } = await builtin('node:path');
    // A name of its own: another could be that of a file of the user.
    const part = join(dirname(local), `.sandbox-${randomId()}.part`);
    const handle = await open(part, 'wx');
    try {
      for await (const chunk of this.stream(path, options)) await handle.writeFile(chunk);
      await handle.close();
      await rename(part, local);
    } catch (error) {
      await handle.close();
      await rm(part, { force: true });
      throw error;
    }
  }

  /** Copies a directory of this machine into one of the sandbox; other files there stay. */
  async push(local: string, remote: string, options: TreeOptions = {}): Promise<TreeReport> {
    return await push(this, local, await this.#paths.resolve(remote, options.signal), options);
  }

  /** Copies a directory of the sandbox into one of this machine; no file outside is written. */
  async pull(remote: string, local: string, options: TreeOptions = {}): Promise<TreeReport> {
    return await pull(this, await this.#paths.resolve(remote, options.signal), local, options);
  }

  /** At most 200,000 entries. */
  async list(path: string, options: ListOptions = {}): Promise<FileEntry[]> {
    const entries: FileEntry[] = [];
    for await (const entry of this.walk(path, { recursive: false, ...options })) {
      if (entries.push(entry) <= MOST_ENTRIES) continue;
      throw new SandboxError(`the directory has more than ${MOST_ENTRIES} entries: ${path}`, {
        hint: 'read them with walk()',
      });
    }
    return entries;
  }

  /** Entries in the order of their paths, each directory before its content; page by page. */
  async *walk(
    path: string,
    { recursive = true, hidden = true, maxDepth, signal }: ListOptions = {},
  ): AsyncGenerator<FileEntry> {
    const query = {
      path: await this.#paths.resolve(path, signal),
      recursive,
      show_hidden: hidden,
      max_depth: maxDepth,
      limit: 1000,
    };
    for await (const page of pagesOf(this.#transport, query, signal)) yield* page.map((entry) => camel(entry));
  }

  async stat(path: string, options: CallOptions & { readonly followLinks?: boolean } = {}): Promise<FileInfo> {
    const query = {
      path: await this.#paths.resolve(path, options.signal),
      follow_symlinks: options.followLinks ?? true,
    };
    return camel(await this.#transport.data('/v2/fs/stat', 'FileStat', { query, signal: options.signal }));
  }

  async exists(path: string, options: CallOptions = {}): Promise<boolean> {
    try {
      await this.stat(path, { ...options, followLinks: false });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** Creates a directory with its parents; one that exists is fine. */
  async makeDirectory(path: string, options: CallOptions = {}): Promise<void> {
    const json = { path: await this.#paths.resolve(path, options.signal), parents: true };
    await this.#post('/v2/fs/mkdir', { json, repeatable: true, ...options });
  }

  /** Removes a file, a link, or with `recursive` a directory. What does not exist is an error, except after a cut. */
  async remove(path: string, options: CallOptions & { readonly recursive?: boolean } = {}): Promise<void> {
    const json = { path: await this.#paths.resolve(path, options.signal), recursive: options.recursive ?? false };
    await this.#post('/v2/fs/delete', { json, signal: options.signal });
  }

  async move(
    source: string,
    destination: string,
    options: CallOptions & { readonly overwrite?: boolean } = {},
  ): Promise<void> {
    await this.#post('/v2/fs/move', {
      json: await this.#pair(source, destination, options),
      signal: options.signal,
    });
  }

  async copy(
    source: string,
    destination: string,
    options: CallOptions & { readonly overwrite?: boolean } = {},
  ): Promise<void> {
    await this.#post('/v2/fs/copy', {
      json: await this.#pair(source, destination, options),
      signal: options.signal,
    });
  }

  /** Replaces the one occurrence of a text. @throws RequestFailed if there is another number of them */
  async replace(
    path: string,
    old: string,
    by: string,
    options: CallOptions & { readonly all?: boolean } = {},
  ): Promise<void> {
    const json = {
      path: await this.#paths.resolve(path, options.signal),
      command: 'str_replace',
      old_str: old,
      new_str: by,
      ...(options.all && { replace_mode: 'ALL' }),
    };
    await this.#post('/v2/fs/edit', { json, signal: options.signal });
  }

  /** Paths whose names match a glob. */
  async search(
    path: string,
    pattern: string,
    options: CallOptions & { readonly limit?: number } = {},
  ): Promise<readonly string[]> {
    const query = { path: await this.#paths.resolve(path, options.signal), pattern, limit: options.limit };
    return (await this.#transport.data('/v2/fs/search', 'SearchResult', { query, signal: options.signal })).files;
  }

  /** Lines that match a regular expression in ripgrep's dialect. */
  async grep(path: string, pattern: string, options: GrepOptions = {}): Promise<readonly GrepMatch[]> {
    const { include, exclude, fixed, ignoreCase, maxResults, signal } = options;
    const json = {
      path: await this.#paths.resolve(path, signal),
      pattern,
      include,
      exclude,
      fixed_strings: fixed,
      case_insensitive: ignoreCase,
      max_results: maxResults,
    };
    const call = { method: 'POST', json, repeatable: true, signal } as const;
    return camel(await this.#transport.data('/v2/fs/grep', 'GrepResult', call)).matches;
  }

  /**
   * Reports each change below a path once. A restart of the daemon is an event `overflow`: changes may be missing.
   * @param onEvent called in order; the next event waits for a promise that it returns
   */
  async watch(
    path: string,
    onEvent?: (event: WatchEvent) => void | Promise<void>,
    options: WatchOptions = {},
  ): Promise<Watch> {
    return await Watch.start(this.#transport, await this.#paths.resolve(path, options.signal), onEvent, options);
  }

  async #pair(
    source: string,
    destination: string,
    { overwrite = false, signal }: CallOptions & { readonly overwrite?: boolean },
  ): Promise<object> {
    const [from, to] = await Promise.all([source, destination].map((path) => this.#paths.resolve(path, signal)));
    return { source: from, destination: to, overwrite };
  }

  async #post(path: string, call: Call): Promise<void> {
    const query = { user: this.#transport.settings.user };
    await this.#transport.send(path, { ...call, method: 'POST', query });
  }
}

function nameOf(file: Blob | Uint8Array): string | undefined {
  return (file as { readonly name?: string }).name;
}
