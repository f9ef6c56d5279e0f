import { SandboxError } from '@sandbox/api/sandbox-error.ts';

/** Who writes to the stdin of each command: one attached client alone, or any number of calls in turn. */
export class StdinClaims {
  readonly #owned = new Set<string>();
  /** Calls that write at this moment. */
  readonly #calls = new Map<string, number>();

  /** For an attached client, until the answer is disposed. @throws SandboxError `conflict` if anyone else writes */
  own(id: string): Disposable {
    if (this.#owned.has(id) || this.#calls.has(id)) {
      throw new SandboxError('conflict', `another client writes to the stdin of the command: ${id}`, {
        hint: 'attach without write to read its output, or attach again when the other client has left',
      });
    }
    this.#owned.add(id);
    return { [Symbol.dispose]: () => void this.#owned.delete(id) };
  }

  /** For one call, until the answer is disposed. @throws SandboxError `conflict` if an attached client writes */
  share(id: string): Disposable {
    if (this.#owned.has(id)) {
      throw new SandboxError('conflict', `an attached client writes to the stdin of the command: ${id}`, {
        hint: 'write over its WebSocket, or again when it has left',
      });
    }
    this.#calls.set(id, (this.#calls.get(id) ?? 0) + 1);
    return { [Symbol.dispose]: () => this.#endCall(id) };
  }

  #endCall(id: string): void {
    const left = (this.#calls.get(id) ?? 0) - 1;
    if (left > 0) this.#calls.set(id, left);
    else this.#calls.delete(id);
  }
}
