import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { AttachedProgram } from './attached-program.ts';

/** The stdio transport of MCP (a JSON message a line) over a program that is attached. */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  #program: AttachedProgram | undefined;
  #pieces: Buffer[] = [];

  attach(program: AttachedProgram): void {
    this.#program = program;
  }

  async start(): Promise<void> {
    // The program runs already.
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#program?.write(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  /** A line that is not JSON is an exception. */
  take(bytes: Buffer): void {
    let rest = bytes;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = Buffer.concat([...this.#pieces.splice(0), rest.subarray(0, end)]);
      rest = rest.subarray(end + 1);
      this.onmessage?.(JSON.parse(line.toString()));
    }
    if (rest.length > 0) this.#pieces.push(rest);
  }
}
