import { posix } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { FilesPort } from '../../../core/ports/files-port.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import { alreadyExists, type Implementations, type RpcContext } from '../../../http/rpc/rpc-server.ts';
import type { Given, Read } from '../../../http/rpc/wire-types.ts';
import { withKeepalive } from '../../../http/streams/keepalive.ts';
import { type Accounts, basicUser } from '../accounts.ts';
import type { E2bCall } from '../call.ts';
import { keepaliveMs } from '../keepalive.ts';
import type { EntryInfo, FilesystemApi, WatchDirRequest } from '../wire/filesystem.ts';
import { entryAt, entryOf } from './entries.ts';
import type { Watches, WatchTerms } from './watches.ts';

/** Entries of one list. */
const LIST_MAX = 10_000;

type Context = RpcContext<E2bCall>;
type Entry = Given<typeof EntryInfo>;

/** Files and their changes under the names and rules of envd. */
export class FilesystemService {
  readonly #files: FilesPort;
  readonly #accounts: Accounts;
  readonly #watches: Watches;

  constructor(files: FilesPort, accounts: Accounts, watches: Watches) {
    this.#files = files;
    this.#accounts = accounts;
    this.#watches = watches;
  }

  get methods(): Implementations<(typeof FilesystemApi)['methods'], E2bCall> {
    return {
      Stat: async ({ path }, context) => ({ entry: await this.#entryAt(this.#pathOf(path, context)) }),
      MakeDir: async ({ path }, context) => ({ entry: await this.#makeDirectory(path, context) }),
      Move: async ({ source, destination }, context) => ({ entry: await this.#move(source, destination, context) }),
      ListDir: async ({ path, depth }, context) => ({ entries: await this.#list(path, depth, context) }),
      Remove: async ({ path }, context) => {
        await this.#remove(this.#pathOf(path, context));
        return {};
      },
      WatchDir: (request, context) => this.#watch(request, context),
      CreateWatcher: async (request, context) => ({
        watcherId: await this.#watches.create(await this.#watchTerms(request, context)),
      }),
      GetWatcherEvents: async ({ watcherId }, { signal }) => ({ events: await this.#watches.poll(watcherId, signal) }),
      RemoveWatcher: async ({ watcherId }) => {
        await this.#watches.remove(watcherId);
        return {};
      },
    };
  }

  async #makeDirectory(given: string, context: Context): Promise<Entry> {
    const path = this.#pathOf(given, context);
    const found = await this.#find(path);
    if (found?.isDirectory()) throw alreadyExists(`directory already exists: ${path}`);
    if (found) throw new SandboxError('invalid', `path already exists but it is not a directory: ${path}`);
    await this.#files.mkdir(path, true, { user: this.#userOf(context) });
    return await this.#entryAt(path);
  }

  async #move(from: string, to: string, context: Context): Promise<Entry> {
    const [source, destination] = [this.#pathOf(from, context), this.#pathOf(to, context)];
    const caller = { user: this.#userOf(context) };
    await this.#files.stat(source, false);
    await this.#files.mkdir(posix.dirname(destination), true, caller);
    await this.#files.move(source, destination, { overwrite: true, gone: context.signal }, caller);
    return await this.#entryAt(destination);
  }

  async #list(given: string, depth: number, context: Context): Promise<Entry[]> {
    const path = this.#pathOf(given, context);
    const { stats } = await this.#files.stat(path, true);
    if (!stats.isDirectory()) throw new SandboxError('invalid', `path is not a directory: ${path}`);
    const { entries, cursor } = await this.#files.list({
      path,
      recursive: depth > 1,
      maxDepth: Math.max(1, depth),
      showHidden: true,
      limit: LIST_MAX,
    });
    if (cursor !== undefined) {
      throw new SandboxError('too_large', `over ${LIST_MAX} entries below ${path}: list it with a smaller depth`);
    }
    const described: Entry[] = [];
    const { namedUser } = this.#accounts;
    for (const entry of entries) {
      if (isTurnSpent()) await yieldToEventLoop();
      described.push(entryOf(entry.path, entry.stats, namedUser));
    }
    return described;
  }

  #entryAt(path: string): Promise<Entry> {
    return entryAt(this.#files, path, this.#accounts.namedUser);
  }

  /** What does not exist is as removed. */
  async #remove(path: string): Promise<void> {
    if (await this.#find(path)) await this.#files.delete(path, true);
  }

  async *#watch(request: Read<typeof WatchDirRequest>, context: Context) {
    const terms = await this.#watchTerms(request, context);
    const events = withKeepalive(
      this.#watches.stream(terms, context.signal),
      keepaliveMs(context.call.req.headers),
      'idle',
    );
    for await (const event of events) {
      if (event === 'started') yield { event: { case: 'start' as const, value: {} } };
      else if (event === 'idle') yield { event: { case: 'keepalive' as const, value: {} } };
      else yield { event: { case: 'filesystem' as const, value: event } };
    }
  }

  async #watchTerms(request: Read<typeof WatchDirRequest>, context: Context): Promise<WatchTerms> {
    const path = this.#pathOf(request.path, context);
    await this.#files.stat(path, true);
    return { path, recursive: request.recursive, includeEntry: request.includeEntry };
  }

  async #find(path: string) {
    try {
      return (await this.#files.stat(path, true)).stats;
    } catch (error) {
      if (error instanceof SandboxError && error.kind === 'not_found') return await this.#danglingLink(path);
      throw error;
    }
  }

  async #danglingLink(path: string) {
    try {
      return (await this.#files.stat(path, false)).stats;
    } catch (error) {
      if (error instanceof SandboxError && error.kind === 'not_found') return undefined;
      throw error;
    }
  }

  #userOf({ call }: Context): string | undefined {
    return this.#accounts.userOf(basicUser(call.req.headers.authorization));
  }

  #pathOf(path: string, context: Context): string {
    return this.#accounts.pathOf(path, this.#userOf(context));
  }
}
