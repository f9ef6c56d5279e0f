import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { onAbort, waitFor } from '@sandbox/api/wait.ts';
import { createClient, type XClient, type XDisplay, type XEvent, type XExtension } from 'x11';
import { ServerGuard } from './server-guard.ts';

/** Milliseconds in which a display has to accept a connection, and to answer a request. */
const CONNECT_MS = 5_000;
const REPLY_MS = 5_000;
/** Requests without a reply, none of which was answered, after which the connection ends. */
const SILENT_MAX = 16;

const EXTENSIONS = { xtest: 'XTEST', damage: 'DAMAGE', fixes: 'XFIXES', randr: 'RANDR', shm: 'MIT-SHM' } as const;
export type ExtensionName = keyof typeof EXTENSIONS;

/** The error of a request without a reply in time. */
function silentDisplay(): SandboxError {
  return new SandboxError('unavailable', 'the display does not answer', { hint: 'retry when the X server answers' });
}

/** The error of each request after a server sent what no sound one sends. */
function unsoundDisplay(cause: unknown): SandboxError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SandboxError('unavailable', `the display does not keep to the protocol: ${reason}`, {
    hint: 'restart the X server',
    cause,
  });
}

/** One connection to the display; it ends with the X server. */
export class XSession implements AsyncDisposable {
  readonly client: XClient;
  readonly display: XDisplay;
  readonly root: number;
  /** Fires when the connection has ended. */
  readonly ended: AbortSignal;
  readonly #ending = new AbortController();
  readonly #extensions: ReadonlyMap<ExtensionName, XExtension>;
  readonly #guard: ServerGuard;
  #silent = { requests: 0, answers: 0 };
  readonly #atoms = new Map<string, Promise<number>>();
  readonly #listeners = new Map<string, Set<(event: XEvent) => void>>();

  private constructor(display: XDisplay, extensions: ReadonlyMap<ExtensionName, XExtension>, guard: ServerGuard) {
    this.display = display;
    this.#guard = guard;
    this.client = display.client;
    // The package shares its table of atoms between connections; another X server numbers them differently.
    this.client.atoms = { ...this.client.atoms };
    this.client.atom_names = { ...this.client.atom_names };
    this.root = display.screen[0]?.root ?? 0;
    this.ended = this.#ending.signal;
    this.#extensions = extensions;
    this.client.on('event', (event) => this.#dispatch(event));
    onAbort(guard.broken, () => this.#ending.abort(unsoundDisplay(guard.broken.reason)));
    const end = (): void => this.#ending.abort(silentDisplay());
    this.client.once('end', end);
    this.client.stream.once('close', end);
  }

  /** @throws SandboxError `unavailable` if the display cannot be reached */
  static async open(name: string): Promise<XSession> {
    const { promise, resolve, reject } = Promise.withResolvers<XDisplay>();
    let client: XClient | undefined;
    try {
      client = createClient({ display: name, bufferRequests: true }, (error, display) =>
        error ? reject(error) : resolve(display),
      );
      // An error of a request without a callback of its own: the window it was about is gone.
      client.on('error', reject);
      const guard = new ServerGuard(client);
      const display = await inTime(promise, guard.broken);
      return new XSession(display, await openExtensions(display.client, guard.broken), guard);
    } catch (error) {
      client?.stream?.destroy();
      const reason = error instanceof Error ? error.message : String(error);
      throw new SandboxError('unavailable', `the display ${name} cannot be reached: ${reason}`, {
        hint: 'start an X server there, or set DISPLAY and XAUTHORITY of the worker',
        cause: error,
      });
    }
  }

  extension(name: ExtensionName): XExtension | undefined {
    return this.#extensions.get(name);
  }

  /** Extensions that the display lacks, by their names of the protocol. */
  get missing(): string[] {
    return Object.entries(EXTENSIONS).flatMap(([key, name]) =>
      this.#extensions.has(key as ExtensionName) ? [] : [name],
    );
  }

  /**
   * The reply of a request.
   * @param mostBytes of the reply, if it may be larger than 8 MiB
   * @throws XError as the server says, and SandboxError `unavailable` if no reply comes
   */
  async ask<T>(
    request: (done: (error: Error | null | undefined, value: T) => boolean) => void,
    mostBytes = 0,
  ): Promise<T> {
    this.ended.throwIfAborted();
    using _allowed = this.#guard.packets.allow(mostBytes);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    request((error, value) => {
      if (error) reject(error);
      else resolve(value);
      return true;
    });
    const end = await waitFor(promise, { ms: REPLY_MS, signal: this.ended });
    if (end === 'settled') return promise;
    promise.catch(() => undefined);
    if (end === 'timeout') this.#countSilence();
    throw this.ended.aborted ? this.ended.reason : silentDisplay();
  }

  /**
   * The reply of a request that a sound display does not refuse, such as one about its root window.
   * @throws SandboxError `unavailable` if it does, or if no reply comes
   */
  async query<T>(
    request: (done: (error: Error | null | undefined, value: T) => boolean) => void,
    mostBytes = 0,
  ): Promise<T> {
    try {
      return await this.ask(request, mostBytes);
    } catch (error) {
      if (error instanceof SandboxError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new SandboxError('unavailable', `the display refused a request: ${reason}`, { cause: error });
    }
  }

  /** Resolves when the display has carried out all requests so far, and all their events have come. */
  async sync(): Promise<void> {
    await this.query((done) => this.client.sync((error) => done(error, undefined)));
  }

  atom(name: string): Promise<number> {
    const known = this.#atoms.get(name);
    if (known !== undefined) return known;
    const asked = this.query<number>((done) => this.client.InternAtom(false, name, done));
    this.#atoms.set(name, asked);
    asked.catch(() => this.#atoms.delete(name));
    return asked;
  }

  /** Calls the listener for events of that name; disposing the answer ends that. */
  on(name: string, listener: (event: XEvent) => void): Disposable {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return { [Symbol.dispose]: () => listeners.delete(listener) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.client.stream.destroy();
    this.#ending.abort(silentDisplay());
    return Promise.resolve();
  }

  /** Requests whose replies never come are kept by the package, and each packet looks at all of them. */
  #countSilence(): void {
    const { answers } = this.#guard.packets;
    if (answers !== this.#silent.answers) this.#silent = { requests: 0, answers };
    this.#silent.requests += 1;
    if (this.#silent.requests < SILENT_MAX) return;
    this.client.stream.destroy();
    this.#ending.abort(silentDisplay());
  }

  /** A listener that fails ends this connection, not the worker. */
  #dispatch(event: XEvent): void {
    try {
      for (const listener of [...(this.#listeners.get(event.name ?? '') ?? [])]) listener(event);
    } catch (error) {
      this.client.stream.destroy();
      this.#ending.abort(new SandboxError('io', `an event of the display failed: ${String(error)}`, { cause: error }));
    }
  }
}

async function openExtensions(client: XClient, broken: AbortSignal): Promise<Map<ExtensionName, XExtension>> {
  const found = new Map<ExtensionName, XExtension>();
  const names = Object.keys(EXTENSIONS) as ExtensionName[];
  await Promise.all(
    names.map(async (name) => {
      const { promise, resolve } = Promise.withResolvers<XExtension | undefined>();
      client.require(name, (error, extension) => resolve(error ? undefined : extension));
      const extension = await inTime(promise, broken);
      if (extension) found.set(name, extension);
    }),
  );
  return found;
}

/** @throws Error if it does not come within the time of a connection, or the server breaks the protocol before */
async function inTime<T>(promise: Promise<T>, broken: AbortSignal): Promise<T> {
  const end = await waitFor(promise, { ms: CONNECT_MS, signal: broken });
  if (end === 'settled') return promise;
  promise.catch(() => undefined);
  throw end === 'aborted' ? broken.reason : new Error('it does not answer');
}
