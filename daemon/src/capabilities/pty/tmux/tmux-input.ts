import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { HostedProcess, TerminalSize } from '../../../core/process/process-host.ts';

/** Bytes that one command types, since tmux bounds the length of a line. */
const PIECE_BYTES = 512;

/**
 * Types into a tmux session by a client in control mode, which takes commands on its stdin (tmux(1), CONTROL MODE). Any
 * program of the account can end the client; the next input starts another.
 */
export class TmuxInput {
  readonly #start: () => Promise<HostedProcess>;
  readonly #target: string;
  /** The client that runs or is being started. */
  #client: Promise<HostedProcess>;
  /** The newest client has ended. */
  #hasEnded = false;
  #isClosed = false;
  /** The last requested size. A client can end before the server receives it, so the next client sends it again. */
  #size: TerminalSize | undefined;

  private constructor(client: HostedProcess, start: () => Promise<HostedProcess>, name: string) {
    this.#start = start;
    this.#target = `=${name}:`;
    this.#client = Promise.resolve(client);
    this.#watch(client);
  }

  /** `start` starts a client of the session `name`. */
  static async open(start: () => Promise<HostedProcess>, name: string): Promise<TmuxInput> {
    return new TmuxInput(await start(), start, name);
  }

  /** Takes no more input; answers the newest client, which is the caller's from now on; undefined: it did not start. */
  async close(): Promise<HostedProcess | undefined> {
    this.#isClosed = true;
    return await this.#client.catch(() => undefined);
  }

  /** @throws SandboxError `conflict` after the end of the session */
  async write(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    const lines: string[] = [];
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const codes = Array.from(bytes.subarray(at, at + PIECE_BYTES), (byte) => byte.toString(16));
      lines.push(`send-keys -t ${this.#target} -H ${codes.join(' ')}\n`);
    }
    await this.#send(lines.join(''), signal);
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    // The session may have ended.
    void this.#send(this.#resizeLine(size)).catch(ignore);
  }

  async #send(lines: string, signal?: AbortSignal): Promise<void> {
    if (this.#isClosed) throw new SandboxError('conflict', 'the session has ended');
    if (this.#hasEnded) this.#restart();
    const client = await this.#client;
    await client.writeStdin(Buffer.from(lines), signal);
  }

  #resizeLine({ cols, rows }: TerminalSize): string {
    return `resize-window -t ${this.#target} -x ${cols} -y ${rows}\n`;
  }

  #restart(): void {
    this.#hasEnded = false;
    this.#client = this.#client.catch(ignore).then(async (last) => {
      last?.acknowledgeExit();
      await last?.output.remove();
      const client = await this.#start();
      if (this.#size) await client.writeStdin(Buffer.from(this.#resizeLine(this.#size))).catch(ignore);
      return client;
    });
    this.#client.then(
      (client) => this.#watch(client),
      () => {
        this.#hasEnded = true;
      },
    );
  }

  #watch(client: HostedProcess): void {
    void client.ended.then(() => {
      this.#hasEnded = true;
    });
  }
}
