import { hash } from 'node:crypto';
import { headerOf, type MessageHeaders } from './message-headers.ts';

/** Milliseconds for which a call that has ended keeps its id from naming another one. */
const DOUBT_MS = 10_000;
/** Headers that distinguish callers; a client that needs to be distinguished for certain sends its own session id. */
const CALLER = ['authorization', 'x-api-key', 'cookie', 'x-forwarded-for', 'user-agent', 'mcp-session-id'] as const;

interface CallInFlight extends Disposable {
  /** Fires when its caller has cancelled it. */
  readonly cancelled: AbortSignal;
}

/**
 * The calls that are served now, by caller and id, for `notifications/cancelled` (MCP 2025-11-25, basic/utilities).
 * Without sessions two clients may look alike and use the same ids: an id that may mean two calls cancels neither.
 */
export class CallsInFlight {
  readonly #running = new Map<string, Set<AbortController>>();
  /** When calls ended, the oldest first. */
  readonly #ended = new Map<string, number>();
  readonly #doubtMs: number;

  constructor(doubtMs = DOUBT_MS) {
    this.#doubtMs = doubtMs;
  }

  /** The call is in flight until the answer is disposed. */
  begin(headers: MessageHeaders, id: string | number): CallInFlight {
    const name = nameOf(headers, id);
    const call = new AbortController();
    const calls = this.#running.get(name) ?? new Set();
    this.#running.set(name, calls.add(call));
    const end = (): void => {
      calls.delete(call);
      if (calls.size === 0) this.#running.delete(name);
      this.#keepEnd(name);
    };
    return { cancelled: call.signal, [Symbol.dispose]: end };
  }

  /** Cancels the call that the id names without doubt; answers whether there is one. */
  cancel(headers: MessageHeaders, id: unknown): boolean {
    if (typeof id !== 'string' && typeof id !== 'number') return false;
    const name = nameOf(headers, id);
    const [call, ...others] = this.#running.get(name) ?? [];
    if (call === undefined || others.length > 0 || this.#endedLately(name)) return false;
    call.abort();
    return true;
  }

  #endedLately(name: string): boolean {
    const at = this.#ended.get(name);
    return at !== undefined && performance.now() - at < this.#doubtMs;
  }

  #keepEnd(name: string): void {
    this.#ended.delete(name);
    for (const old of this.#ended.keys()) {
      if (this.#endedLately(old)) break;
      this.#ended.delete(old);
    }
    this.#ended.set(name, performance.now());
  }
}

/** The headers hold credentials, so only their digest is kept. */
function nameOf(headers: MessageHeaders, id: string | number): string {
  const caller = CALLER.map((name) => headerOf(headers, name));
  return hash('sha256', JSON.stringify([caller, id]), 'base64url');
}
