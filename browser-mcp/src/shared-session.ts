import { briefTools } from './brief-tools.ts';
import { errorMessage, type Message, type Request, UNAVAILABLE } from './json-rpc.ts';

/** What an MCP server needs of a connection (the interface `Transport` of its SDK). */
export interface Transport {
  start(): Promise<void>;
  send(message: Message): Promise<void>;
  close(): Promise<void>;
  onmessage?: (message: Message) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
}

export interface McpServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
}

interface SessionTerms {
  /** Milliseconds that one tool call may take. */
  readonly callMs: number;
  /** Called when a call has exceeded its time: the server may be stuck, and the callers after it with it. */
  readonly onStuck: () => void;
  /** Called each `waitMs` milliseconds of a tool call, with the time at which it began (`performance.now()`). */
  readonly onWait?: (since: number) => void;
  readonly waitMs?: number;
}

/** Calls that may wait for their turn; more are refused. */
const WAITING_MAX = 64;
const STUCK = 'the call has not ended in time: the server starts again, take a new snapshot';

/**
 * One session with an MCP server that all HTTP requests share. A request brings an id of its client, which may be
 * another client's too, and gets one of this session. Tool calls run one after another, since they share the tab.
 */
export class SharedSession {
  readonly #terms: SessionTerms;
  readonly #answers = new Map<number, (answer: Message) => void>();
  readonly #transport: Transport;
  #lastId = 0;
  #waiting = 0;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(terms: SessionTerms) {
    this.#terms = terms;
    this.#transport = {
      start: () => Promise.resolve(),
      close: () => Promise.resolve(),
      send: (message) => {
        this.#settle(message);
        return Promise.resolve();
      },
    };
  }

  static async open(server: McpServer, terms: SessionTerms): Promise<SharedSession> {
    const session = new SharedSession(terms);
    await server.connect(session.#transport);
    return session;
  }

  /** Resolves with the server's answer, under the id of the request. */
  async ask(request: Request): Promise<object> {
    if (request.method === 'tools/call') return this.#inTurn(request);
    if (request.method === 'tools/list') return briefTools(await this.#exchange(request));
    if (request.method !== 'initialize') return this.#exchange(request);
    return described(await this.#exchange({ ...request, params: withoutCapabilities(request.params) }));
  }

  async #inTurn(request: Request): Promise<object> {
    if (this.#waiting >= WAITING_MAX) {
      return errorMessage(request.id, UNAVAILABLE, `${WAITING_MAX} calls are waiting for the browser: repeat later`);
    }
    this.#waiting += 1;
    const call = this.#turn.then(() => this.#exchange(request));
    const ended = (): void => {
      this.#waiting -= 1;
    };
    // A call that fails takes no other one with it.
    this.#turn = call.then(ended, ended);
    return call;
  }

  #exchange(request: Request): Promise<Message> {
    this.#lastId += 1;
    const own = this.#lastId;
    const { callMs, onStuck, onWait, waitMs } = this.#terms;
    const since = performance.now();
    const waiting = onWait && setInterval(() => onWait(since), waitMs);
    return new Promise<Message>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#answers.delete(own);
        resolve(errorMessage(request.id, UNAVAILABLE, STUCK) as Message);
        onStuck();
      }, callMs);
      this.#answers.set(own, (answer) => {
        clearTimeout(timer);
        resolve({ ...answer, id: request.id });
      });
      try {
        this.#transport.onmessage?.({ ...request, id: own });
      } catch (error) {
        clearTimeout(timer);
        this.#answers.delete(own);
        reject(error);
      }
    }).finally(() => clearInterval(waiting));
  }

  /** What is not an answer has no receiver: a notification, or a request to a client. */
  #settle(message: Message): void {
    if (typeof message.id !== 'number' || message.method !== undefined) return;
    const settle = this.#answers.get(message.id);
    this.#answers.delete(message.id);
    settle?.(message);
  }
}

/** Without a session the server cannot ask its client for anything. */
function withoutCapabilities(params: unknown): object {
  return { ...(typeof params === 'object' ? params : {}), capabilities: {} };
}

/** The server under its name here; changes of its list of tools have no receiver. */
function described(answer: Message): Message {
  if (typeof answer.result !== 'object' || answer.result === null) return answer;
  const { serverInfo, ...result } = answer.result as { serverInfo?: object };
  return {
    ...answer,
    result: { ...result, capabilities: { tools: {} }, serverInfo: { ...serverInfo, name: 'browser' } },
  };
}
