import type { Logger } from '@sandbox/program/logger.ts';
import { XSession } from './x-session.ts';

/** Sets up what a connection needs, such as a window that owns selections; called once for each connection. */
type Prepare = (session: XSession) => Promise<void>;

/** The display, with one connection that is made when it is needed and again after the X server was restarted. */
export class XLink implements AsyncDisposable {
  readonly name: string;
  readonly #logger: Logger;
  readonly #prepare: Prepare[] = [];
  #session: Promise<XSession> | undefined;

  constructor({ display }: { readonly display: string }, logger: Logger) {
    this.name = display;
    this.#logger = logger;
  }

  /** Calls `prepare` with each new connection before it is used. */
  onConnect(prepare: Prepare): void {
    this.#prepare.push(prepare);
  }

  /** @throws SandboxError `unavailable` if the display cannot be reached */
  use(): Promise<XSession> {
    if (this.#session !== undefined) return this.#session;
    const opened = this.#open();
    this.#session = opened;
    const forget = (): void => {
      if (this.#session === opened) this.#session = undefined;
    };
    opened.then((session) => session.ended.addEventListener('abort', forget, { once: true }), forget);
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const session = await this.#session?.catch(() => undefined);
    await session?.[Symbol.asyncDispose]();
  }

  async #open(): Promise<XSession> {
    const session = await XSession.open(this.name);
    try {
      for (const prepare of this.#prepare) await prepare(session);
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    }
    this.#logger.info({ display: this.name, missing: session.missing }, 'display connected');
    return session;
  }
}
