import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { createClient, type XClient, type XDisplay, type XEvent, type XExtension } from 'x11';

/** Milliseconds in which a display has to accept a connection, and to answer a request. */
const CONNECT_MS = 5_000;
const REPLY_MS = 5_000;

const EXTENSIONS = { xtest: 'XTEST', damage: 'DAMAGE', fixes: 'XFIXES', randr: 'RANDR', shm: 'MIT-SHM' } as const;
export type ExtensionName = keyof typeof EXTENSIONS;

/** The error of a request without a reply in time. */
function silentDisplay(): SandboxError {
  return new SandboxError('unavailable', 'the display does not answer', { hint: 'retry when the X server answers' });
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
  readonly #atoms = new Map<string, Promise<number>>();
  readonly #listeners = new Map<string, Set<(event: XEvent) => void>>();

  private constructor(display: XDisplay, extensions: ReadonlyMap<ExtensionName, XExtension>) {
    this.display = display;
    this.client = display.client;
    // The package shares its table of atoms between connections; another X server numbers them differently.
    this.client.atoms = { ...this.client.atoms };
    this.client.atom_names = { ...this.client.atom_names };
    this.root = display.screen[0]?.root ?? 0;
    this.ended = this.#ending.signal;
    this.#extensions = extensions;
    this.client.on('event', (event) => this.#dispatch(event));
    const end = (): void => this.#ending.abort(silentDisplay());
    this.client.once('end', end);
    this.client.stream.once('close', end);
  }

  /** @throws SandboxError `unavailable` where the display cannot be reached */
  static async open(name: string): Promise<XSession> {
    const { promise, resolve, reject } = Promise.withResolvers<XDisplay>();
    let client: XClient | undefined;
    try {
      client = createClient({ display: name, bufferRequests: true }, (error, display) =>
        error ? reject(error) : resolve(display),
      );
      // An error of a request without a callback of its own: the window it was about is gone.
      client.on('error', reject);
      const end = await waitFor(promise, { ms: CONNECT_MS });
      if (end !== 'settled') throw new Error('it does not answer');
      const display = await promise;
      return new XSession(display, await openExtensions(display.client));
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
   * @throws XError as the server says, and SandboxError `unavailable` where no reply comes
   */
  async ask<T>(request: (done: (error: Error | null | undefined, value: T) => boolean) => void): Promise<T> {
    if (this.ended.aborted) throw silentDisplay();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    request((error, value) => {
      if (error) reject(error);
      else resolve(value);
      return true;
    });
    const end = await waitFor(promise, { ms: REPLY_MS, signal: this.ended });
    if (end !== 'settled') {
      promise.catch(() => undefined);
      throw silentDisplay();
    }
    return promise;
  }

  /** Resolves when the display has carried out all requests so far, and all their events have come. */
  async sync(): Promise<void> {
    await this.ask((done) => this.client.sync((error) => done(error, undefined)));
  }

  atom(name: string): Promise<number> {
    const known = this.#atoms.get(name);
    if (known !== undefined) return known;
    const asked = this.ask<number>((done) => this.client.InternAtom(false, name, done));
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

async function openExtensions(client: XClient): Promise<Map<ExtensionName, XExtension>> {
  const found = new Map<ExtensionName, XExtension>();
  const names = Object.keys(EXTENSIONS) as ExtensionName[];
  await Promise.all(
    names.map(async (name) => {
      const { promise, resolve } = Promise.withResolvers<XExtension | undefined>();
      client.require(name, (error, extension) => resolve(error ? undefined : extension));
      const end = await waitFor(promise, { ms: REPLY_MS });
      const extension = end === 'settled' ? await promise : undefined;
      if (extension) found.set(name, extension);
    }),
  );
  return found;
}
