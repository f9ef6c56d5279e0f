import type { CdpConnection } from './cdp-connection.ts';
import type { CdpFailure } from './cdp-failure.ts';
import type { EventName, EventOf, Method, ParamsOf, ResultOf } from './cdp-types.ts';

/** Milliseconds that a call may take if its caller sets no other deadline. */
export const CALL_MS = 10_000;

type Handler = (event: never) => void;

/** One attached target, or the browser itself, over a shared connection. */
export class CdpSession {
  readonly connection: CdpConnection;
  /** Undefined for the browser. */
  readonly id: string | undefined;
  readonly #handlers = new Map<string, Set<Handler>>();

  constructor(connection: CdpConnection, id?: string) {
    this.connection = connection;
    this.id = id;
    connection.listen(id, (method, params) => {
      for (const handler of [...(this.#handlers.get(method) ?? [])]) handler(params as never);
    });
  }

  /** @throws CdpFailure */
  send<M extends Method>(method: M, params?: ParamsOf<M>, ms = CALL_MS): Promise<ResultOf<M>> {
    return this.connection.send(this.id, method, params ?? {}, ms) as Promise<ResultOf<M>>;
  }

  /** A command that is not checked against the protocol. @throws CdpFailure */
  sendRaw(method: string, params: object, ms: number): Promise<object> {
    return this.connection.send(this.id, method, params, ms);
  }

  /** Disposing the answer ends the listening. */
  on<E extends EventName>(event: E, handler: (event: EventOf<E>) => void): Disposable {
    const handlers = this.#handlers.get(event) ?? new Set();
    this.#handlers.set(event, handlers);
    handlers.add(handler as Handler);
    return { [Symbol.dispose]: () => void handlers.delete(handler as Handler) };
  }

  /** The target is gone: calls that wait fail. */
  end(failure: CdpFailure): void {
    if (this.id !== undefined) this.connection.endSession(this.id, failure);
  }

  /** Fails the calls that wait; the session stays. */
  failCalls(failure: CdpFailure): void {
    if (this.id !== undefined) this.connection.failCalls(this.id, failure);
  }
}
