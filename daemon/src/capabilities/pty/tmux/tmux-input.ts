import { ignore } from '@sandbox/program/ignore.ts';
import type { HostedProcess, TerminalSize } from '../../../core/process/process-host.ts';

/** Bytes that one command types, since tmux bounds the length of a line. */
const PIECE_BYTES = 512;

/** Types into a tmux session by a client in control mode, which takes commands on its stdin (tmux(1), CONTROL MODE). */
export class TmuxInput {
  readonly #control: HostedProcess;
  readonly #target: string;

  constructor(control: HostedProcess, name: string) {
    this.#control = control;
    this.#target = `=${name}:`;
  }

  /** @throws SandboxError `conflict` after the end of the session */
  async write(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    const lines: string[] = [];
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const codes = Array.from(bytes.subarray(at, at + PIECE_BYTES), (byte) => byte.toString(16));
      lines.push(`send-keys -t ${this.#target} -H ${codes.join(' ')}\n`);
    }
    await this.#control.writeStdin(Buffer.from(lines.join('')), signal);
  }

  resize({ cols, rows }: TerminalSize): void {
    const line = `resize-window -t ${this.#target} -x ${cols} -y ${rows}\n`;
    // The session may have ended.
    void this.#control.writeStdin(Buffer.from(line)).catch(ignore);
  }
}
