import type { CdpMessage } from './devtools-socket.ts';

/** Ids of the gate's own calls; those of Playwright count from 1. */
const FIRST_ID = 1_000_000_000;

/** A page that the browser has announced. */
interface Page {
  hasDialog: boolean;
  /** When Playwright called it last (`performance.now()`). */
  calledAt: number;
  /** Since when it owes the gate an answer; undefined: it does not. */
  silentSince?: number | undefined;
}

interface GateTerms {
  readonly toBrowser: (message: CdpMessage) => void;
  readonly toClient: (message: CdpMessage) => void;
  /** Milliseconds that a page has to answer when the client attaches to all pages. */
  readonly patienceMs: number;
}

/** A page that the client does not know yet, with the events that came meanwhile. */
interface Held {
  readonly events: CdpMessage[];
  /** Resolves when the page has answered or is gone. */
  readonly settled: Promise<void>;
  readonly settle: () => void;
}

/**
 * Stands between Playwright and the browser. Playwright initializes all pages before it is connected, and a page that
 * does not answer (an endless loop, an open dialog, a crash) would stop that: such a page is announced once it answers.
 */
export class TabGate {
  readonly #terms: GateTerms;
  readonly #held = new Map<string, Held>();
  readonly #probes = new Map<number, (hasAnswered: boolean) => void>();
  /** By session. */
  readonly #pages = new Map<string, Page>();
  #lastId = FIRST_ID;
  #attaching: number | undefined;

  constructor(terms: GateTerms) {
    this.#terms = terms;
  }

  /** Passes on what Playwright sends. */
  fromClient(message: CdpMessage): void {
    const { id, method, sessionId } = message;
    const page = this.#pages.get(sessionId ?? '');
    if (page) page.calledAt = performance.now();
    if (method === 'Target.setAutoAttach' && sessionId === undefined) this.#attaching = id;
    this.#terms.toBrowser(message);
  }

  /** Passes on what the browser sends. */
  fromBrowser(message: CdpMessage): void {
    const { id, sessionId } = message;
    if (id !== undefined) this.#answer(id, message);
    else if (sessionId === undefined) this.#targetEvent(message);
    else this.#pageEvent(sessionId, message);
  }

  /**
   * Asks the pages that Playwright has called since then, and crashes those that have not answered for `ms`
   * milliseconds. A page that a debugger holds answers, and one with a dialog waits for its answer.
   * @param since when the call began that a page may hold up (`performance.now()`)
   */
  crashHung(since: number, ms: number): void {
    for (const [sessionId, page] of this.#pages) {
      if (page.calledAt < since || page.hasDialog || this.#held.has(sessionId)) continue;
      const { silentSince } = page;
      if (silentSince === undefined) this.#ask(sessionId, page);
      else if (performance.now() - silentSince >= ms) this.#crashUnlessStopped(sessionId, page);
    }
  }

  /** While the browser itself stands still, no page can answer. */
  #crashUnlessStopped(sessionId: string, page: Page): void {
    page.silentSince = performance.now();
    const { silentSince } = page;
    this.#probe(undefined, () => {
      setTimeout(() => {
        if (page.silentSince === silentSince && !page.hasDialog) this.#call(sessionId, 'Page.crash');
      }, this.#terms.patienceMs);
    });
  }

  #ask(sessionId: string, page: Page): void {
    page.silentSince = performance.now();
    this.#probe(sessionId, () => {
      page.silentSince = undefined;
    });
  }

  #answer(id: number, message: CdpMessage): void {
    const probe = this.#probes.get(id);
    if (probe) probe(message.error === undefined);
    if (id > FIRST_ID) return;
    if (id !== this.#attaching) {
      this.#terms.toClient(message);
      return;
    }
    this.#attaching = undefined;
    void this.#settled().then(() => this.#terms.toClient(message));
  }

  /** Waits until each page that is held has answered, as long as patience lasts. */
  async #settled(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#terms.patienceMs);
    });
    await Promise.race([over, Promise.all([...this.#held.values()].map(({ settled }) => settled))]);
    clearTimeout(timer);
  }

  #targetEvent(message: CdpMessage): void {
    const { method, params } = message;
    const sessionId = String(params?.['sessionId']);
    if (method === 'Target.attachedToTarget') {
      const { type } = (params?.['targetInfo'] ?? {}) as { readonly type?: string };
      if (type === 'page') this.#pages.set(sessionId, { hasDialog: false, calledAt: 0 });
      // What is new waits for its client, and cannot hang yet.
      if (type === 'page' && params?.['waitingForDebugger'] !== true) {
        this.#hold(sessionId, message);
        return;
      }
    }
    if (method === 'Target.detachedFromTarget') {
      this.#pages.delete(sessionId);
      const held = this.#held.get(sessionId);
      this.#held.delete(sessionId);
      held?.settle();
      if (held) return;
    }
    this.#terms.toClient(message);
  }

  #pageEvent(sessionId: string, message: CdpMessage): void {
    const page = this.#pages.get(sessionId);
    if (page && message.method === 'Page.javascriptDialogOpening') page.hasDialog = true;
    if (page && message.method === 'Page.javascriptDialogClosed') page.hasDialog = false;
    const held = this.#held.get(sessionId);
    if (held) held.events.push(message);
    else this.#terms.toClient(message);
  }

  #hold(sessionId: string, attached: CdpMessage): void {
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
    const held: Held = { events: [attached], settled, settle };
    this.#held.set(sessionId, held);
    this.#probe(sessionId, (hasAnswered) => {
      // A page that crashed refuses: it is announced when it has been loaded again and a client connects.
      if (!hasAnswered || this.#held.get(sessionId) !== held) {
        settle();
        return;
      }
      this.#held.delete(sessionId);
      for (const event of held.events) this.#terms.toClient(event);
      settle();
    });
  }

  /** Asks a page, or the browser. */
  #probe(sessionId: string | undefined, settle: (hasAnswered: boolean) => void): void {
    const id =
      sessionId === undefined
        ? this.#call(undefined, 'Browser.getVersion')
        : this.#call(sessionId, 'Runtime.evaluate', { expression: '0' });
    this.#probes.set(id, (hasAnswered) => {
      this.#probes.delete(id);
      settle(hasAnswered);
    });
  }

  #call(sessionId: string | undefined, method: string, params: Readonly<Record<string, unknown>> = {}): number {
    this.#lastId += 1;
    this.#terms.toBrowser({ id: this.#lastId, method, params, ...(sessionId !== undefined && { sessionId }) });
    return this.#lastId;
  }
}
