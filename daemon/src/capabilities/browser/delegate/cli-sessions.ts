import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { onAbort, waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { BrowserEndpoint } from '../browser-endpoint.ts';
import { CdpFailure } from '../cdp/cdp-failure.ts';
import type { Tab } from '../tabs/tab.ts';
import type { AgentBrowserCli, CliAnswer } from './agent-browser-cli.ts';

/** Sessions of agent-browser at the same time, each a process; the one that was used longest ago ends first. */
export const SESSIONS_MAX = 16;
/** Milliseconds in which the CLI connects to a tab, and in which it disconnects: a session that stays takes memory. */
const CONNECT_MS = 20_000;
const DISCONNECT_MS = 20_000;
/** Milliseconds for which the end of the daemon waits for all of that. */
const END_MS = 5000;

interface CliSession {
  readonly flags: readonly string[];
  /** Settles when the calls of before have ended. */
  turn: Promise<unknown>;
}

/** A session of agent-browser for each tab that is read through it: it forgets the references of the others. */
export class CliSessions implements AsyncDisposable {
  readonly #cli: AgentBrowserCli;
  readonly #endpoint: BrowserEndpoint;
  /** By tab, the one that was used last at the end. */
  readonly #sessions = new Map<string, CliSession>();

  constructor(cli: AgentBrowserCli, endpoint: BrowserEndpoint) {
    this.#cli = cli;
    this.#endpoint = endpoint;
  }

  /**
   * Runs a command on the tab, after those that run on it already; undefined if it does not end within `ms`.
   * @throws SandboxError if nothing was done
   */
  async call(tab: Tab, args: readonly string[], ms: number): Promise<CliAnswer | undefined> {
    const url = await this.#endpoint.socketUrl().catch((error: unknown) => {
      throw new CdpFailure('lost', 'the browser does not answer', { cause: error });
    });
    const session = this.#sessions.get(tab.id) ?? this.#open(tab, url);
    this.#sessions.delete(tab.id);
    this.#sessions.set(tab.id, session);
    this.#closeOldest();
    const answered = session.turn.then(() => this.#cli.call([...session.flags, ...args], ms));
    session.turn = answered.catch(ignore);
    return answered;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await waitFor(Promise.all([...this.#sessions.keys()].map((id) => this.#close(id))), { ms: END_MS });
  }

  /** The browser is named in each call: a session that has idled away would start a browser of its own. */
  #open(tab: Tab, url: string): CliSession {
    const flags = ['--session', `tab-${tab.id}`, '--cdp', url, '--pin-tab'];
    const bound = this.#cli.call([...flags, 'tab', tab.id], CONNECT_MS).then((answer) => {
      if (answer?.success) return;
      this.#sessions.delete(tab.id);
      const words = answer === undefined ? 'it did not answer in time' : answer.error;
      throw new SandboxError('unavailable', `agent-browser cannot connect to the tab: ${words}`);
    });
    bound.catch(() => this.#sessions.delete(tab.id));
    onAbort(tab.gone, () => void this.#close(tab.id));
    return { flags, turn: bound };
  }

  #closeOldest(): void {
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > SESSIONS_MAX && oldest !== undefined) void this.#close(oldest);
  }

  /** The browser and its tab stay. */
  async #close(tabId: string): Promise<void> {
    const session = this.#sessions.get(tabId);
    if (session === undefined || !this.#sessions.delete(tabId)) return;
    await session.turn.then(() => this.#cli.call([...session.flags.slice(0, 2), 'close'], DISCONNECT_MS)).catch(ignore);
  }
}
