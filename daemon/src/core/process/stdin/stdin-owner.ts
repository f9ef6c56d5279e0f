import type { ProcessStdin } from './process-stdin.ts';
import type { StdinCount } from './stdin-sink.ts';

/** The part of `HostedProcess` that writes to stdin, the same on each host. */
export abstract class StdinOwner {
  protected abstract readonly stdin: ProcessStdin;

  writeStdin(bytes: Uint8Array, signal?: AbortSignal, offset?: number): Promise<void> {
    return this.stdin.write(bytes, signal, offset);
  }

  typeStdin(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    return this.stdin.type(bytes, signal);
  }

  offerStdin(bytes: Uint8Array, offset?: number): Promise<number> {
    return this.stdin.offer(bytes, offset);
  }

  get stdinCount(): StdinCount {
    return this.stdin.count;
  }

  get stdinIsOpen(): boolean {
    return this.stdin.isOpen;
  }

  endStdin(): Promise<void> {
    return this.stdin.end();
  }
}
