import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pause, pollUntil } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import type { BrowserEndpoint } from '../browser-endpoint.ts';
import type { TabTerms } from '../tabs/tab.ts';
import { TabList } from '../tabs/tab-list.ts';
import { CdpConnection } from './cdp-connection.ts';
import { CdpSession } from './cdp-session.ts';

/** Milliseconds for the handshake of the WebSocket. */
const HANDSHAKE_MS = 5000;
/** Milliseconds between two attempts to connect: the first and the longest delay. */
const RETRY_MS = { first: 250, longest: 5000 };
/** Milliseconds that a call waits for a browser that starts, and between two attempts of it. */
const START = { ms: 20_000, everyMs: 100 };

/** What the link knows of the start of the browser. */
export interface BrowserStart {
  /** Whether a supervisor starts the browser now, so that a call may wait for it. */
  readonly isUnderWay: () => boolean;
  /** What a caller can do if no browser answers. */
  readonly hint: string;
}

interface LinkTerms {
  readonly logger: Logger;
  /** Called with each browser that is connected, before the first call. */
  readonly follow: (browser: CdpSession) => Promise<void>;
}

/** A browser that the daemon is connected to. */
export interface LiveBrowser {
  readonly session: CdpSession;
  readonly tabs: TabList;
}

/**
 * The one connection to the browser. It is made before the first call, so that nothing that a page requests is missed,
 * and again whenever the browser has started again.
 */
export class BrowserLink implements AsyncDisposable {
  readonly #endpoint: BrowserEndpoint;
  readonly #terms: TabTerms;
  readonly #logger: Logger;
  readonly #start: BrowserStart;
  readonly #follow: LinkTerms['follow'];
  readonly #stopped = new AbortController();
  #live: LiveBrowser | undefined;
  #connecting: Promise<LiveBrowser> | undefined;

  constructor(endpoint: BrowserEndpoint, terms: TabTerms, start: BrowserStart, { logger, follow }: LinkTerms) {
    this.#start = start;
    this.#follow = follow;
    this.#endpoint = endpoint;
    this.#terms = terms;
    this.#logger = logger;
    void this.#stayConnected();
  }

  /**
   * The browser that is connected now, or connects. Waits for a browser that starts.
   * @param ms most milliseconds of that wait, at most 20 s
   * @throws SandboxError `unavailable`
   */
  async use(ms = START.ms): Promise<LiveBrowser> {
    let failure: unknown;
    const connects = async (): Promise<boolean> => {
      try {
        await this.#connected();
        return true;
      } catch (error) {
        failure = error;
        return !this.#start.isUnderWay();
      }
    };
    const bounds = { everyMs: START.everyMs, ms: Math.min(ms, START.ms), signal: this.#stopped.signal };
    await pollUntil(connects, bounds);
    if (this.#live?.session.connection.isOpen) return this.#live;
    throw failure;
  }

  async #connected(): Promise<LiveBrowser> {
    if (this.#live?.session.connection.isOpen) return this.#live;
    // An attempt of before may have begun before the browser: it is waited for, but not relied on.
    const earlier = await this.#connecting?.catch(() => undefined);
    return earlier ?? this.#attempt();
  }

  /** Tabs of the browser that is connected now. */
  get tabs(): TabList | undefined {
    return this.#live?.tabs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    this.#live?.session.connection[Symbol.dispose]();
    await this.#connecting?.catch(ignore);
  }

  async #stayConnected(): Promise<void> {
    const { signal } = this.#stopped;
    let delay = RETRY_MS.first;
    while (!signal.aborted) {
      try {
        const { session } = await this.#connected();
        delay = RETRY_MS.first;
        await session.connection.closed;
      } catch {
        delay = Math.min(delay * 2, RETRY_MS.longest);
      }
      await pause(delay, signal);
    }
  }

  #attempt(): Promise<LiveBrowser> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<LiveBrowser> {
    const { signal } = this.#stopped;
    const fail = (error: unknown): void => {
      if (!signal.aborted) this.#logger.error({ err: error }, 'unexpected error in an event of the browser');
    };
    let connection: CdpConnection | undefined;
    // A browser that does not answer holds up no stop.
    const cut = (): void => connection?.[Symbol.dispose]();
    signal.addEventListener('abort', cut);
    try {
      signal.throwIfAborted();
      connection = await CdpConnection.open(await this.#endpoint.socketUrl(), { ms: HANDSHAKE_MS, fail });
      signal.throwIfAborted();
      const session = new CdpSession(connection);
      await this.#follow(session).catch(fail);
      const tabs = await TabList.open(session, this.#endpoint, this.#terms);
      const live = { session, tabs };
      void connection.closed.then(() => {
        tabs.end();
        if (this.#live === live) this.#live = undefined;
      });
      this.#live = live;
      return live;
    } catch (error) {
      connection?.[Symbol.dispose]();
      const reason = error instanceof Error ? error.message : String(error);
      throw new SandboxError('unavailable', `no browser answers at http://${this.#endpoint.authority}: ${reason}`, {
        hint: this.#start.hint,
        cause: error,
      });
    } finally {
      signal.removeEventListener('abort', cut);
    }
  }
}
