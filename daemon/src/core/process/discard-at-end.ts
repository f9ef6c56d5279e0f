import type { HostedProcess } from './process-host.ts';

/** Keeps neither the output nor the end of the process once it has ended. */
export function discardAtEnd(process: HostedProcess): void {
  void process.ended.then(() => process.output.remove()).then(() => process.acknowledgeExit());
}
