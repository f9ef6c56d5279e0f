import { SandboxError } from '../../core/errors.ts';
import type { McpBridge } from '../../tools/mcp-bridge.ts';
import type { Context } from '../command-spec.ts';
import { inputLines } from '../input-lines.ts';
import { written } from '../written.ts';

/** The service takes 8 MiB. */
const LONGEST_LINE = 16 * 1024 * 1024;
/** Requests at once. */
const MOST_RUNNING = 64;
/** Codes of JSON-RPC 2.0 §5.1, and one of a server's own. */
const CODES = { parse: -32_700, invalidRequest: -32_600, server: -32_000 } as const;

/** Passes each message of stdin to /mcp, and each of the answers to stdout. Calls run side by side. */
export async function mcp({ sandbox, terminal: { stdin, stdout } }: Context): Promise<undefined> {
  const calls = new Calls(sandbox.mcp(), stdout);
  for await (const line of inputLines(stdin, LONGEST_LINE)) calls.take(line);
  await calls.ended();
}

interface Running {
  readonly id: unknown;
  readonly stop: AbortController;
  /** Its client wants no response. */
  isCancelled: boolean;
}

/** The messages that were sent and are not answered. */
class Calls {
  readonly #bridge: McpBridge;
  readonly #stdout: NodeJS.WriteStream;
  readonly #running = new Map<Running, Promise<void>>();
  #printed = Promise.resolve();

  constructor(bridge: McpBridge, stdout: NodeJS.WriteStream) {
    this.#bridge = bridge;
    this.#stdout = stdout;
  }

  take(line: string | Error): void {
    if (line instanceof Error) this.#fail(null, CODES.invalidRequest, line.message);
    else if (line.trim() !== '') this.#begin(line);
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running.values());
    await this.#printed;
  }

  #begin(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#fail(null, CODES.parse, 'the line is not JSON');
      return;
    }
    const id = idOf(message);
    if (this.#running.size >= MOST_RUNNING && id !== undefined) {
      this.#fail(id, CODES.server, `${MOST_RUNNING} requests wait for their responses: send this one later`);
      return;
    }
    const call = { id, stop: new AbortController(), isCancelled: false };
    const done = this.#exchange(message, call).then(() => void this.#running.delete(call));
    this.#running.set(call, done);
  }

  async #exchange(message: unknown, call: Running): Promise<void> {
    const cancelled = fieldOf(message, 'method') === 'notifications/cancelled' ? this.#cancelledBy(message) : [];
    for (const each of cancelled) each.isCancelled = true;
    try {
      for await (const answer of this.#bridge.exchange(message, call.stop.signal)) await this.#pass(answer);
    } catch (error) {
      if (call.id !== undefined && !call.isCancelled) this.#fail(call.id, CODES.server, textOf(error));
    }
    // What the service could not cancel is not waited for.
    for (const each of cancelled) each.stop.abort();
  }

  #cancelledBy(message: unknown): readonly Running[] {
    const id = fieldOf(fieldOf(message, 'params'), 'requestId');
    return [...this.#running.keys()].filter((call) => id !== undefined && call.id === id);
  }

  /** A response waits until it is written; progress that a slow client does not read is left out. */
  async #pass(message: unknown): Promise<void> {
    const isResponse = fieldOf(message, 'method') === undefined;
    if (isResponse || !this.#stdout.writableNeedDrain) this.#print(message);
    if (isResponse) await this.#printed;
  }

  #fail(id: unknown, code: number, message: string): void {
    this.#print({ jsonrpc: '2.0', id, error: { code, message } });
  }

  #print(message: unknown): void {
    this.#printed = this.#printed.then(() => written(this.#stdout, `${JSON.stringify(message)}\n`));
  }
}

function textOf(error: unknown): string {
  if (error instanceof RangeError) return 'the message is nested too deeply';
  if (error instanceof SandboxError && error.hint !== null) return `${error.message}: ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}

/** Of a request; null for several messages; undefined for what gets no response. */
function idOf(message: unknown): unknown {
  if (Array.isArray(message)) return null;
  return fieldOf(message, 'method') === undefined ? undefined : fieldOf(message, 'id');
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
